"""The files of the pages, read once and kept in memory: serving them needs neither a thread nor the disk."""

from __future__ import annotations

from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from starlette.types import Receive, Scope, Send


class StaticFiles:
    """An ASGI application that serves the files that a folder had when it was made."""

    def __init__(self, folder: Path) -> None:
        self._files: dict[str, tuple[bytes, list[tuple[bytes, bytes]], bytes]] = {}
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                kind = guess_type(path.name)[0] or "application/octet-stream"
                kind += "; charset=utf-8" if kind.startswith("text/") else ""
                tag = f'"{sha256(data).hexdigest()[:32]}"'.encode()
                length = str(len(data)).encode()
                headers = [(b"content-type", kind.encode()), (b"content-length", length), (b"etag", tag)]
                self._files[f"/{path.relative_to(folder).as_posix()}"] = data, headers, tag

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        found = self._files.get(path)
        if scope["method"] not in ("GET", "HEAD"):
            await _answer(send, 405, [(b"content-length", b"0"), (b"allow", b"GET, HEAD")])
        elif found is None:
            await _answer(send, 404, [(b"content-length", b"0")])
        else:
            data, headers, tag = found
            known = dict(scope["headers"]).get(b"if-none-match", b"")
            if tag in known:
                await _answer(send, 304, [(b"etag", tag)])
            else:
                await _answer(send, 200, headers, b"" if scope["method"] == "HEAD" else data)


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
