"""Serves the packages of a directory as PyPI and npm do, for the commands that the documentation names.

    python3 tests/install/registry.py PACKAGES

The script prints the port. The address of npm is http://127.0.0.1:PORT, and that of pip and uv http://127.0.0.1:PORT/simple.
"""

import base64
import hashlib
import http.server
import json
import pathlib
import sys
import tarfile

packages = pathlib.Path(sys.argv[1])


def npm_packages(address: str) -> dict[str, dict]:
    """Returns the answer of the npm registry for each package by name."""
    answers = {}
    for file in packages.glob("*.tgz"):
        with tarfile.open(file) as archive:
            package = json.load(archive.extractfile("package/package.json"))
        digest = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        package["dist"] = {"tarball": f"{address}/{file.name}", "integrity": f"sha512-{digest}"}
        # npm computes this for a published package: it runs the script only then.
        package["hasInstallScript"] = "postinstall" in package.get("scripts", {})
        version = package["version"]
        answers[package["name"]] = {
            "name": package["name"],
            "dist-tags": {"latest": version},
            "versions": {version: package},
        }
    return answers


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = self.path.strip("/")
        files = [it.name for it in packages.iterdir()]
        answers = npm_packages(f"http://127.0.0.1:{self.server.server_address[1]}")
        if name in files:
            self.answer((packages / name).read_bytes(), "application/octet-stream")
        elif name == "simple/overspill":
            names = [it for it in files if it.endswith(".whl")]
            self.answer("".join(f'<a href="/{it}">{it}</a>\n' for it in names).encode(), "text/html")
        elif name in answers:
            self.answer(json.dumps(answers[name]).encode(), "application/json")
        else:
            self.send_error(404)

    def answer(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    # uv asks for the size of a wheel first.
    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
