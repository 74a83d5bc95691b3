#!/usr/bin/env python3
"""Measures how many of the words that an agent used next stand in a preview.

    tools/signal/used.py CASES [--budget CHARS…] [--worst N]

CASES is a file of JSON lines, packed with xz or not. Each line is a case with the fields `id`, `kind`, `output` and
`used`: the words of the output that the agent repeated in its next steps. The script prints the mean share of these
words in the preview, for each budget and kind, beside both ends of the output in the same room. A preview over the
budget counts as 0. An output within the budget does not count.
"""

import argparse
import collections
import json
import lzma
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def read(path):
    opened = lzma.open if str(path).endswith(".xz") else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def share(words, text):
    return sum(word in text for word in words) / len(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases")
    parser.add_argument("--budget", type=int, nargs="*", default=[30000, 9500, 2000])
    parser.add_argument("--worst", type=int, default=0, help="also list this number of cases in which both ends keep more")
    options = parser.parse_args()
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    subprocess.run(["cargo", "build", "-q", "--release", "-p", "overspill-core", "--features", "train", "--example", "train"], cwd=ROOT, check=True)
    cases = read(options.cases)
    with tempfile.TemporaryDirectory() as work:
        for budget in options.budget:
            large = [case for case in cases if len(case["output"]) > budget]
            paths = [pathlib.Path(work) / str(number) for number in range(len(large))]
            for path, case in zip(paths, large):
                path.write_bytes(case["output"].encode("utf-8", "replace"))
            for at in range(0, len(paths), 200):
                subprocess.run([target / "release/examples/train", "auto", str(budget), *paths[at : at + 200]], check=True)
            report(budget, large, paths, options.worst)


def report(budget, cases, paths, worst):
    rows, losses = collections.defaultdict(list), []
    for case, path in zip(cases, paths):
        shown = pathlib.Path(f"{path}.{budget}.preview").read_bytes().decode("utf-8", "replace")
        half = (budget - 1) // 2
        ends = case["output"][:half] + "\n" + case["output"][-half:]
        pair = (share(case["used"], shown) if len(shown) <= budget else 0, share(case["used"], ends))
        for kind in ("all", case["kind"]):
            rows[kind].append(pair)
        losses.append((pair[1] - pair[0], case))
    print(f"{budget} characters: kind, cases, overspill, both ends")
    for kind, pairs in sorted(rows.items(), key=lambda row: -len(row[1])):
        ours, ends = (sum(values) / len(pairs) for values in zip(*pairs))
        print(f"  {kind:16} {len(pairs):4}  {ours:.4f}  {ends:.4f}")
    for loss, case in sorted(losses, key=lambda row: -row[0])[:worst]:
        print(f"  {loss:+.3f} {case['kind']} {case['id']}")


if __name__ == "__main__":
    main()
