"""Runs one table of cases through Rust, Python and Node and compares the results byte for byte.

    run.py RUST_PROGRAM [--python PYTHON] [--node]

The script first replaces the names of saved outputs and their random marks. Everything else must be the same.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from cases import table  # noqa: E402

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rust")
    parser.add_argument("--python")
    parser.add_argument("--node", action="store_true")
    asked = parser.parse_args()
    runners = {"rs": [asked.rust]}
    if asked.python:
        runners["py"] = [asked.python, str(HERE / "parity.py")]
    if asked.node:
        runners["js"] = ["node", str(HERE / "parity.mjs")]
    cases = table()
    with tempfile.TemporaryDirectory(prefix="parity-") as directory:
        file = Path(directory) / "cases.json"
        file.write_text(json.dumps(cases))
        results = {name: run(command, file, Path(directory) / name) for name, command in runners.items()}
    failures = [f"{case['name']}: {message}" for at, case in enumerate(cases) for message in differences(case, at, results)]
    print(f"{len(cases)} cases through {', '.join(runners)}: {len(failures)} differ")
    print("\n".join(failures[:20]))
    sys.exit(bool(failures) or len(cases) < 500)


def run(command, cases, store):
    """Runs a runner, which prints a line for each case. The paths of all stores are equally long."""
    done = subprocess.run([*command, str(cases), str(store)], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(case, at, results):
    """Yields the differences between the answers, and from the vector that the case comes from."""
    mine = {name: normal(answers[at], name) for name, answers in results.items()}
    first = mine["rs"]
    for name, answer in mine.items():
        if answer != first:
            yield f"{name} differs from rs: {shorter(answer, first)}"
        expected = case.get("expect")
        if expected and not as_expected(expected, answer["outcome"]["text"], case["input"]):
            yield f"{name} is not what the vector says"


def as_expected(expected, text, given):
    text = text.replace("{ID}.txt", "{PATH}")
    if expected.get("same_as_input"):
        return text == given
    if "text" in expected:
        return text == expected["text"]
    return hashlib.sha256(text.encode()).hexdigest() == expected["sha256"]


def normal(answer, runner):
    """Replaces the parts that differ in each run: the names of outputs, and the marks that contain them."""
    names = answer.pop("names", [])
    text = json.dumps(answer, sort_keys=True, ensure_ascii=False)
    for path in names:
        text = text.replace(json.dumps(path, ensure_ascii=False)[1:-1], "{PATH}")
        file = path.rsplit("/", 1)[-1]
        stem = file.rsplit(".", 1)[0]
        text = text.replace(file, "{FILE}").replace(stem, "{ID}").replace(stem[-6:].lower(), "{TOKEN}")
    # The mark of an output that was not saved has a random token.
    text = re.sub(r"\[overspill [0-9a-z]{6}:", "[overspill {TOKEN}:", text)
    text = re.sub(rf"/{runner}/", "/{RUNNER}/", text)
    marks = set(re.findall(r"\\n\[([0-9a-z]{6}): (?:lines?|bytes?|first|last|\d)", text))
    for mark in marks:
        text = text.replace(f"[{mark}: ", "[{TOKEN}: ")
    return json.loads(text)


def shorter(one, other):
    """Returns the first fields that differ."""
    one, other = (json.dumps(it, sort_keys=True, ensure_ascii=False) for it in (one, other))
    at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"{one[max(at - 40, 0) : at + 80]!r} / {other[max(at - 40, 0) : at + 80]!r}"


if __name__ == "__main__":
    main()
