"""Adds the program, its manual pages and its completions to a wheel.

    python3 tools/release/wheel.py WHEEL STAGE

STAGE is the directory that tools/release/stage wrote. pip puts `NAME.data/scripts` into the directory of programs and
`NAME.data/data` below the prefix. The same input gives the same bytes; SOURCE_DATE_EPOCH is the time of the files.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile
import zlib

wheel, stage = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
with zipfile.ZipFile(wheel) as old:
    files = {it.filename: (old.read(it), it.external_attr >> 16 or 0o100644) for it in old.infolist() if not it.is_dir()}
# maturin's list of crates contains the directory of the build.
here = pathlib.Path.cwd().as_uri().encode()
for name, (content, mode) in files.items():
    if name.endswith(".cyclonedx.json"):
        files[name] = (content.replace(here, b"file:///overspill"), mode)
[record] = [name for name in files if name.endswith(".dist-info/RECORD")]
data = record.split(".dist-info/")[0] + ".data"
for path in sorted(stage.rglob("*")):
    if path.is_file():
        inside = path.relative_to(stage)
        is_program = inside.parts[0] == "bin"
        name = f"{data}/scripts/{inside.name}" if is_program else f"{data}/data/{inside.as_posix()}"
        files[name] = (path.read_bytes(), 0o100755 if is_program else 0o100644)
# maturin accepts no licence files from directories above pyproject.toml.
information = record.rsplit("/", 1)[0]
content, mode = files[f"{information}/METADATA"]
names = ["LICENSE-APACHE", "LICENSE-MIT"]
for name in names:
    files[f"{information}/licenses/{name}"] = (pathlib.Path(name).read_bytes(), 0o100644)
lines = "".join(f"License-File: {name}\n" for name in names).encode()
content, found = re.subn(rb"(?m)^License-Expression: .*\n", lambda it: it[0] + lines, content, count=1)
if not found:
    sys.exit("wheel: METADATA has no License-Expression")
files[f"{information}/METADATA"] = (content, mode)
del files[record]


def row(name: str) -> str:
    content = files[name][0]
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


# The list of files comes last, as PEP 427 recommends.
names = sorted(files)
files[record] = (("".join(map(row, names)) + f"{record},,\n").encode(), 0o100644)


def deflate(content: bytes) -> bytes:
    """Compresses with libdeflate-gzip, or with zlib, whose result is 3 % larger."""
    if shutil.which("libdeflate-gzip"):
        made = subprocess.run(["libdeflate-gzip", "-12", "-c"], input=content, capture_output=True, check=True).stdout
        # Without a file name the gzip header has 10 bytes. The last 8 bytes are the checksum and the length.
        return made[10:-8]
    zipper = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return zipper.compress(content) + zipper.flush()


class Compressor:
    """A compressor with the interface that `zipfile` expects."""

    def __init__(self) -> None:
        self.content = b""

    def compress(self, content: bytes) -> bytes:
        self.content += content
        return b""

    def flush(self) -> bytes:
        return deflate(self.content)


new = wheel.with_suffix(".new")
with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as out:
    for name in [*names, record]:
        content, mode = files[name]
        entry = zipfile.ZipInfo(name, moment)
        entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
        entry.external_attr = mode << 16
        with out.open(entry, "w") as file:
            file._compressor = Compressor()
            file.write(content)
with zipfile.ZipFile(new) as written:
    if any(written.read(name) != content for name, (content, _) in files.items()):
        sys.exit(f"wheel: {new} does not contain the same bytes as its files")
new.replace(wheel)
