#!/usr/bin/env python3
"""Writes large transcripts: the recorded sessions of this directory, repeated with other names.

    crates/overspill-cli/tests/transcripts/repeat.py DIRECTORY [BYTES]

Each file has about 8 MB of sessions of one agent. Each copy has names of its own, so no two outputs are the same.
"""

import pathlib
import sys

FILE_BYTES = 8 << 20
# The distinctive words in the recorded sessions, and the ids of calls.
NAMES = [b"call__", b"module_", b"undefined_symbol_", b"lib_core", b"start_of_build"]


def copy(text, number):
    for name in NAMES:
        text = text.replace(name, b"%s%d_" % (name.rstrip(b"_"), number))
    return text


def main():
    target = pathlib.Path(sys.argv[1])
    total = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1_000_000_000
    target.mkdir(parents=True, exist_ok=True)
    recorded = sorted(pathlib.Path(__file__).parent.glob("*.jsonl"))
    texts = [(path.stem, path.read_bytes()) for path in recorded]
    written, files, copies = 0, 0, 0
    while written < total:
        host, text = texts[files % len(texts)]
        size = 0
        with open(target / f"{host}-{files:04}.jsonl", "wb") as file:
            while size < FILE_BYTES and written + size < total:
                copies += 1
                size += file.write(copy(text, copies))
        written += size
        files += 1
    print(f"{written:,} bytes in {files} files, {copies:,} sessions")


main()
