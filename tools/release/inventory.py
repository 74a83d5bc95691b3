"""Writes the licences and the list of the crates that the program for a Rust target contains (CycloneDX 1.5).

    python3 tools/release/inventory.py TARGET DIRECTORY

The script reads only `cargo metadata`, `cargo tree` and Cargo.lock. It needs no other tool, and two runs give the same bytes.
SOURCE_DATE_EPOCH is the time in the list.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)


def metadata(target: str) -> dict:
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def crates_of_the_program(target: str, data: dict) -> list[dict]:
    """Returns the crates that are linked into the program: no dependencies of tests, build scripts or macros."""
    tree = ["cargo", "tree", "--locked", "-p", "overspill-cli", "-e", "normal,no-proc-macro", "--target", target]
    tree += ["--prefix", "none", "--format", "{p}", "--no-dedupe"]
    lines = subprocess.run(tree, check=True, capture_output=True, text=True).stdout.splitlines()
    linked = {tuple(line.split()[:2]) for line in lines if line}
    crates = [it for it in data["packages"] if (it["name"], "v" + it["version"]) in linked]
    return sorted(crates, key=lambda it: (it["name"], it["version"]))


def licences(crates: list[dict]) -> str:
    """Returns every licence text once, below the names of its crates."""
    texts: dict[str, list[str]] = {}
    bare = []
    for crate in crates:
        if crate["source"] is None:
            continue
        name = f"{crate['name']} {crate['version']} ({crate['license'] or 'see the text'})"
        folder = pathlib.Path(crate["manifest_path"]).parent
        files = sorted(it for it in folder.iterdir() if it.is_file() and LICENCE_FILE.match(it.name))
        for file in files:
            text = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
            texts.setdefault(text, []).append(name)
        if not files:
            bare.append(name)
    parts = ["The program contains these crates, each under its own licence.\n"]
    for text, names in sorted(texts.items(), key=lambda it: (it[1], it[0])):
        parts.append("\n".join(f"- {name}" for name in dict.fromkeys(names)) + f"\n\n{text}\n")
    if bare:
        parts.append("These crates contain no licence text:\n\n" + "\n".join(f"- {it}" for it in bare) + "\n")
    return ("\n" + "=" * 100 + "\n").join(parts)


def bill_of_materials(crates: list[dict]) -> dict:
    lock = tomllib.loads(pathlib.Path("Cargo.lock").read_text())
    sums = {(it["name"], it["version"]): it.get("checksum") for it in lock["package"]}

    def component(crate: dict) -> dict:
        name, version = crate["name"], crate["version"]
        address = f"pkg:cargo/{name}@{version}"
        told = {"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address}
        if crate["license"]:
            told["licenses"] = [{"expression": crate["license"].replace("/", " OR ")}]
        if sums.get((name, version)):
            told["hashes"] = [{"alg": "SHA-256", "content": sums[name, version]}]
        return told

    [program] = [crate for crate in crates if crate["name"] == "overspill-cli"]
    others = [component(crate) for crate in crates if crate is not program]
    then = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(others))),
        "version": 1,
        "metadata": {
            "timestamp": then.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": component(program) | {"type": "application", "name": "overspill"},
        },
        "components": others,
    }


def main() -> None:
    target, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    crates = crates_of_the_program(target, metadata(target))
    (directory / "THIRD-PARTY-LICENSES.txt").write_text(licences(crates), encoding="utf-8")
    told = json.dumps(bill_of_materials(crates), indent=1, ensure_ascii=False)
    (directory / "overspill.cdx.json").write_text(told + "\n", encoding="utf-8")


main()
