"""Convolutions of 3 x 3 on images, with rectified linear units. Zeros, which are most of an image, cost nothing."""

from __future__ import annotations

import numpy as np

from smoothcall.kernels import kernel
from smoothcall.kernels.tables import Array
from smoothcall.kernels.vectors import copy


@kernel
def convolve(images: Array, weight: Array, bias: Array, outputs: Array) -> None:
    """Fill outputs[n, rows, columns, out] float32 with the rectified convolutions of images[n, rows, columns, in].

    weight[in, 9 * out]: by plane, the weights of the 3 x 3 places that a pixel contributes to, row by row; bias[out]. Beyond
    the edges an image is 0.
    """
    count, rows, columns, planes = images.shape
    out = len(bias)
    added = np.empty(9 * out, np.float32)  # what a pixel adds to its neighbours
    padded = np.empty((rows + 2, columns + 2, out), np.float32)
    for n in range(count):
        for row in range(rows + 2):
            for column in range(columns + 2):
                copy(bias, padded[row, column])
        for row in range(rows):
            for column in range(columns):
                some = False
                for plane in range(planes):
                    value = images[n, row, column, plane]
                    if value != 0:
                        if some:
                            for part in range(9 * out):
                                added[part] += value * weight[plane, part]
                        else:
                            for part in range(9 * out):
                                added[part] = value * weight[plane, part]
                        some = True
                if some:
                    for place in range(9):
                        for channel in range(out):
                            padded[row + place // 3, column + place % 3, channel] += added[place * out + channel]
        for row in range(rows):
            for column in range(columns):
                for channel in range(out):
                    outputs[n, row, column, channel] = max(padded[row + 1, column + 1, channel], np.float32(0))
