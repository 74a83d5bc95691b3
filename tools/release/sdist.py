"""Makes the source package for Python complete, and the same on every machine.

    python3 tools/release/sdist.py SDIST

maturin leaves out `tools/crc-fast` and `tools/encoding-rs-io`, which the workspace names under `[patch.crates-io]`. This
script adds them. It also removes the crates of the program from Cargo.lock, so that a build with `--locked` works.
SOURCE_DATE_EPOCH is the time of the files.
"""

import gzip
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

sdist = pathlib.Path(sys.argv[1])
moment = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
with tarfile.open(sdist) as old:
    files = {it.name: old.extractfile(it).read() for it in old if it.isfile()}
top = min(files).split("/")[0]
manifest = files[f"{top}/Cargo.toml"].decode()
patches = re.findall(r'(?m)^[\w-]+ = \{ path = "(tools/[\w-]+)" \}$', manifest)
if len(patches) != 2:
    sys.exit(f"sdist: Cargo.toml has {len(patches)} crates below tools, not two")
for patch in patches:
    for path in ["Cargo.toml", *sorted(str(it) for it in pathlib.Path(patch, "src").rglob("*.rs"))]:
        path = path if path.startswith(patch) else f"{patch}/{path}"
        files[f"{top}/{path}"] = pathlib.Path(path).read_bytes()
for licence in ["LICENSE-APACHE", "LICENSE-MIT"]:
    files[f"{top}/{licence}"] = pathlib.Path(licence).read_bytes()
with tempfile.TemporaryDirectory() as unpacked:
    for name, content in files.items():
        path = pathlib.Path(unpacked, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    metadata = ["cargo", "metadata", "--offline", "--quiet", "--format-version", "1"]
    subprocess.run(metadata, cwd=f"{unpacked}/{top}", stdout=subprocess.DEVNULL, check=True)
    files[f"{top}/Cargo.lock"] = pathlib.Path(unpacked, top, "Cargo.lock").read_bytes()
packed = io.BytesIO()
with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
    for name in sorted(files):
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime, entry.mode = len(files[name]), moment, 0o644
        new.addfile(entry, io.BytesIO(files[name]))
sdist.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))
