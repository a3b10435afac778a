"""Text as a picture, for environments that are asked for pixels."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels.tables import Array

WIDTH, HEIGHT, DOTS = 6.4, 3.2, 100  # inches, and dots an inch


def picture(text: str) -> Array:
    """Return [320, 640, 3] uint8: the lines of a text, drawn."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure((WIDTH, HEIGHT), dpi=DOTS)
    canvas = FigureCanvasAgg(figure)
    lines = [line[:80] for line in text.replace("$", "").splitlines()]
    figure.text(0.02, 0.97, "\n".join(lines), family="monospace", fontsize=9, va="top")
    canvas.draw()  # type: ignore[no-untyped-call]
    return np.array(canvas.buffer_rgba())[..., :3]  # type: ignore[no-untyped-call]
