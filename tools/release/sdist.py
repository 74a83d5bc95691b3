"""Makes the source package for Python complete, and the same on every machine.

    python3 tools/release/sdist.py SDIST

maturin leaves out `tools/crc-fast` and `tools/encoding-rs-io`, which the workspace names under `[patch.crates-io]`. These
patches only make the module smaller, so this script removes the table from Cargo.toml. SOURCE_DATE_EPOCH is the time of the files.
"""

import gzip
import io
import os
import pathlib
import re
import sys
import tarfile

sdist = pathlib.Path(sys.argv[1])
moment = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
with tarfile.open(sdist) as old:
    files = {it.name: old.extractfile(it).read() for it in old if it.isfile()}
top = min(files).split("/")[0]
manifest = files[f"{top}/Cargo.toml"].decode()
manifest, patches = re.subn(r"(?m)(^#.*\n)*^\[patch\.crates-io\]\n(.+\n)+\n?", "", manifest)
if patches != 1:
    sys.exit(f"sdist: Cargo.toml has {patches} tables [patch.crates-io], not one")
files[f"{top}/Cargo.toml"] = manifest.encode()
for licence in ["LICENSE-APACHE", "LICENSE-MIT"]:
    files[f"{top}/{licence}"] = pathlib.Path(licence).read_bytes()
packed = io.BytesIO()
with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
    for name in sorted(files):
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime, entry.mode = len(files[name]), moment, 0o644
        new.addfile(entry, io.BytesIO(files[name]))
sdist.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))
