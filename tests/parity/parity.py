"""The table of cases through the Python package."""

import base64
import hashlib
import json
import os
import sys
from pathlib import Path

from overspill import Overspill, OverspillError


def main(cases, store):
    for at, case in enumerate(json.loads(Path(cases).read_text())):
        try:
            answer = run(case, Path(store) / f"{at:04}")
        except OverspillError as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=True).encode() + b"\n")


def run(case, place):
    if case["how"] == "directory":
        return {"directory": Overspill(**case["setup"]).directory}
    os.environ.update(case.get("variables", {}))
    try:
        return answer_of(case, place)
    finally:
        for name in case.get("variables", {}):
            del os.environ[name]


def answer_of(case, place):
    place.parent.mkdir(exist_ok=True)
    if case.get("fault"):
        place.write_text("taken")
    overspill = Overspill(**case["setup"], store=place, durability="none")
    call = {key: value for key, value in case.get("call", {}).items() if value is not None}
    if case["how"] == "apply":
        return {"result": overspill.apply(case["result"], **call), "names": saved(place), "saved": hashes(place)}
    if case["how"] == "batch":
        outcomes = overspill.batch(case["inputs"], **call)
        return {"outcomes": [one.to_dict() for one in outcomes], "names": saved(place), "saved": hashes(place)}
    output = base64.b64decode(case["base64"]) if "base64" in case else case["input"]
    if case["how"] == "spill":
        with overspill.spill(**call) as spill:
            for start in range(0, len(output), 1000):
                spill.write(output[start : start + 1000])
        outcome = spill.outcome
    else:
        outcome = overspill.process(output, **call)
    answer = {"outcome": outcome.to_dict(), "names": saved(place), "saved": hashes(place)}
    if "ask" in case:
        question, *asked = case["ask"]
        *pattern, options = asked
        answer["asked"] = getattr(overspill, question)(*pattern, outcome.id, **options)
    return answer


def saved(place):
    if not place.is_dir():
        return []
    return sorted(str(file) for file in place.iterdir() if not file.name.startswith("."))


def hashes(place):
    return sorted(hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in saved(place))


main(*sys.argv[1:])
