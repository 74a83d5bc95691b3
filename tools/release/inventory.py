"""Writes the licences and the list of the crates that the program for a Rust target contains (CycloneDX 1.5).

    python3 tools/release/inventory.py TARGET DIRECTORY

THIRD-PARTY-LICENSES.txt is for packages that have the program only. The wheel and the npm package also contain a module
with other crates: `python/` and `node/` below DIRECTORY have the licences for them. The script reads only `cargo metadata`, `cargo tree` and Cargo.lock. It needs no other tool, and two runs give the same bytes.
SOURCE_DATE_EPOCH is the time in the list.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

# The C compiler whose libraries are linked into the program.
COMPILERS = {"x86_64-unknown-linux-gnu": "cc", "aarch64-unknown-linux-gnu": "aarch64-linux-gnu-gcc"}
MODULES = {"python": "overspill-python", "node": "overspill-node"}
LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)


def metadata(target: str) -> dict:
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def crates_in(packages: list[str], target: str, data: dict) -> list[dict]:
    """Returns the crates that are linked into the packages: no dependencies of tests, build scripts or macros."""
    tree = ["cargo", "tree", "--locked", "-e", "normal,no-proc-macro", "--target", target]
    tree += [word for package in packages for word in ("-p", package)]
    tree += ["--prefix", "none", "--format", "{p}", "--no-dedupe"]
    lines = subprocess.run(tree, check=True, capture_output=True, text=True).stdout.splitlines()
    linked = {tuple(line.split()[:2]) for line in lines if line}
    crates = [it for it in data["packages"] if (it["name"], "v" + it["version"]) in linked]
    return sorted(crates, key=lambda it: (it["name"], it["version"]))


def libraries(target: str) -> list[tuple[str, str, str]]:
    """Returns the name, version and licence of each linked library that is not a crate."""

    def output(*command: str, given: str = "") -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True, input=given).stdout

    compiler = COMPILERS[target]
    expanded = output(compiler, "-E", "-P", "-", given="#include <features.h>\n__GLIBC__ __GLIBC_MINOR__\n")
    release = ".".join(expanded.split()[-2:])
    return [
        ("rust-std", output("rustc", "--version").split()[1], "MIT OR Apache-2.0"),
        ("glibc", release, "LGPL-2.1-or-later"),
        ("libgcc", output(compiler, "-dumpfullversion").strip(), "GPL-3.0-or-later WITH GCC-exception-3.1"),
    ]


def licences(crates: list[dict], linked: list[tuple[str, str, str]]) -> str:
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
    parts = ["overspill contains these crates and libraries, each under its own licence.\n"]
    for text, names in sorted(texts.items(), key=lambda it: (it[1], it[0])):
        parts.append("\n".join(f"- {name}" for name in dict.fromkeys(names)) + f"\n\n{text}\n")
    told = "\n".join(f"- {name} {version} ({licence})" for name, version, licence in linked)
    # The licence of glibc requires its text in every copy. rust-std has the same licences as overspill.
    text = (pathlib.Path(__file__).parent / "LGPL-2.1.txt").read_text(encoding="utf-8").strip()
    parts.append(f"The program also contains these libraries of Rust and C:\n\n{told}\n\n{text}\n")
    if bare:
        parts.append("These crates contain no licence text:\n\n" + "\n".join(f"- {it}" for it in bare) + "\n")
    return ("\n" + "=" * 100 + "\n").join(parts)


def checksums(lock: str) -> dict[tuple[str, str], str]:
    """Returns the checksum of each crate by name and version. Python has a reader for TOML only since 3.11."""
    sums = {}
    for package in lock.split("[[package]]\n")[1:]:
        values = dict(re.findall(r'(?m)^(name|version|checksum) = "(.*)"$', package))
        if "checksum" in values:
            sums[values["name"], values["version"]] = values["checksum"]
    return sums


def bill_of_materials(crates: list[dict], linked: list[tuple[str, str, str]]) -> dict:
    sums = checksums(pathlib.Path("Cargo.lock").read_text(encoding="utf-8"))

    def component(crate: dict) -> dict:
        name, version = crate["name"], crate["version"]
        # The crates below `tools` stand in for crates of the registry, and have other code.
        kind = "cargo" if crate["source"] or name.startswith("overspill") else "generic"
        address = f"pkg:{kind}/{name}@{version}"
        told = {"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address}
        if crate["license"]:
            told["licenses"] = [{"expression": crate["license"].replace("/", " OR ")}]
        if sums.get((name, version)):
            told["hashes"] = [{"alg": "SHA-256", "content": sums[name, version]}]
        return told

    [program] = [crate for crate in crates if crate["name"] == "overspill-cli"]
    others = [component(crate) for crate in crates if crate is not program]
    for name, version, licence in linked:
        address = f"pkg:generic/{name}@{version}"
        others.append({"type": "library", "bom-ref": address, "name": name, "version": version, "purl": address})
        others[-1]["licenses"] = [{"expression": licence}]
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
    data, linked = metadata(target), libraries(target)
    crates = crates_in(["overspill-cli"], target, data)
    (directory / "THIRD-PARTY-LICENSES.txt").write_text(licences(crates, linked), encoding="utf-8")
    for folder, module in MODULES.items():
        (directory / folder).mkdir(exist_ok=True)
        both = crates_in(["overspill-cli", module], target, data)
        (directory / folder / "THIRD-PARTY-LICENSES.txt").write_text(licences(both, linked), encoding="utf-8")
    told = json.dumps(bill_of_materials(crates, linked), indent=1, ensure_ascii=False)
    (directory / "overspill.cdx.json").write_text(told + "\n", encoding="utf-8")


main()
