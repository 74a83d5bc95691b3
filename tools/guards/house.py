"""Guards over what the workspace offers and needs: public items and dependencies."""

import re
import subprocess


def public_items(library, listing="api.txt"):
    """Every line of a listing that `tools/api` writes."""

    def places(tree):
        path = f"crates/{library}/{listing}"
        lines = tree.files.get(path, "").splitlines()
        return [(path, number, line) for number, line in enumerate(lines, 1)]

    return places


def public_names(library, listing="api.txt"):
    """Types, traits, functions, constants and modules, without methods, fields and variants."""

    def places(tree):
        path = f"crates/{library}/{listing}"
        lines = tree.files.get(path, "").splitlines()
        named = [(number, *name_of(line)) for number, line in enumerate(lines, 1) if name_of(line)]
        types = {name for _, kind, name in named if kind in ("struct", "enum", "trait", "union")}
        return [
            (path, number, f"{kind} {name}")
            for number, kind, name in named
            if name.rpartition("::")[0] not in types
        ]

    return places


def name_of(line):
    """Returns kind and path of an item, or nothing for fields, variants and implementations."""
    while line != (shorter := re.sub(r"<[^<>]*>", "", line.replace("->", ""))):
        line = shorter
    kinds = "struct|enum|trait|union|fn|const|static|type|mod|use|macro"
    found = re.match(rf"(?:#\[\w+\] )?pub (?:unsafe |async |const (?=fn))*({kinds}) (overspill\w*(?:::\w+)*)", line)
    return found and (found[1], found[2])


def crates_needed(package, root):
    """Crates that a default build for Linux compiles in, our own included."""

    def places(_tree):
        command = ["cargo", "tree", "-p", package, "-e", "normal", "--prefix", "none", "--no-dedupe"]
        command += ["--locked", "--target", "x86_64-unknown-linux-gnu"]
        told = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
        return crates_in(told)

    return places


def crates_in(told):
    crates = sorted({" ".join(line.split()[:2]) for line in told.splitlines() if line.strip()})
    return [("Cargo.lock", 1, crate) for crate in crates]
