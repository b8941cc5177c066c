"""A package registry on this machine with releases of tiny libraries for tests, so that they need no network."""

import base64
import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Made:
    """A release: its source, and facts that the registry publishes."""

    package: str
    version: str
    source: str
    needs: tuple[str, ...] = ()
    python: str = ">=3.8"
    yanked: bool = False

    @property
    def file(self) -> str:
        """The file name of the wheel."""
        return f"{self.package}-{self.version}-py3-none-any.whl"

    @property
    def wheel(self) -> bytes:
        """Return the content of the wheel."""
        described = f"{self.package}-{self.version}.dist-info"
        lines = [f"Requires-Dist: {need}\n" for need in self.needs]
        texts = {
            f"{self.package}.py": self.source,
            f"{described}/METADATA": f"Metadata-Version: 2.1\nName: {self.package}\nVersion: {self.version}\n{''.join(lines)}",
            f"{described}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = "".join(f"{name},sha256={_digest(text)},{len(text)}\n" for name, text in texts.items())
        texts[f"{described}/RECORD"] = f"{record}{described}/RECORD,,\n"
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in texts.items():
                archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), text)
        return packed.getvalue()


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


@dataclass
class Registry:
    """A registry: its address, and the files that were downloaded."""

    url: str
    fetched: list[str] = field(default_factory=list)


@contextmanager
def serving(releases: Mapping[str, list[Made]]) -> Iterator[Registry]:
    """Serve releases on this machine until the block ends."""
    wheels = {made.file: made for of_package in releases.values() for made in of_package}
    registry = Registry("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rstrip("/").rpartition("/")[2]
            if name in wheels:
                registry.fetched.append(name)
                self._send(wheels[name].wheel, "application/octet-stream")
            elif name in releases:
                files = [_facts_of(made, registry.url) for made in releases[name]]
                page = {"meta": {"api-version": "1.1"}, "name": name, "files": files}
                self._send(json.dumps(page).encode(), "application/vnd.pypi.simple.v1+json")
            else:
                self.send_error(404)

        def do_HEAD(self) -> None:
            self._send(b"", "application/octet-stream")  # without ranges, so that clients read the whole wheel

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    registry.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _facts_of(made: Made, url: str) -> dict[str, object]:
    return {
        "filename": made.file,
        "url": f"{url}/files/{made.file}",
        "hashes": {"sha256": hashlib.sha256(made.wheel).hexdigest()},
        "requires-python": made.python,
        "yanked": made.yanked,
    }
