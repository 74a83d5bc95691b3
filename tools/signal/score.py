#!/usr/bin/env python3
"""Measures how many wanted lines of a corpus the previews of overspill show.

    tools/signal/score.py CORPUS                   overspill, and simple methods for comparison
    tools/signal/score.py CORPUS --keep signal     only overspill with this `--keep`
    tools/signal/score.py CORPUS --by position     a second table by a field of the labels

recall   the mean over all logs of the share of wanted lines that are shown
macro    the mean of the means of the datasets
project  the mean of the means of the projects
any      the share of logs with at least one shown wanted line
A preview over its budget scores 0. corpus.py describes the corpus.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

import corpus

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FAILURE = re.compile(rb"error|fail|fatal|exception|panic|traceback|assert|undefined|cannot|not found|denied|abort|killed|segfault|\bE  ", re.I)


# ---------- simple methods for comparison ----------
def first_lines(log, room):
    return log if len(log) <= room else log[: log.rfind(b"\n", 0, room + 1) + 1]


def last_lines(log, room):
    return log if len(log) <= room else log[log.find(b"\n", len(log) - room - 1) + 1 :]


def both(log, room, share):
    mark = b"\n[...]\n"
    head = int((room - len(mark)) * share)
    return log[:head] + mark + log[len(log) - (room - len(mark) - head) :]


def grep_and_tail(log, room):
    """Shows lines with a failure word, each with one line before and two after. The rest of the room goes to the end.

    If not all of these lines fit, the latest are shown.
    """
    lines = log[: len(log) - len(last_lines(log, room * 2 // 5))].split(b"\n")
    taken, used = {}, 0
    for at in range(len(lines) - 1, -1, -1):
        if used > room * 0.6 - 500:
            break
        if FAILURE.search(lines[at]):
            for near in range(max(0, at - 1), min(len(lines), at + 3)):
                cost = min(len(lines[near]), 400) + 1
                if near not in taken and used + cost <= room * 0.6:
                    taken[near] = lines[near][:400]
                    used += cost
    found = b"\n".join(taken[at] for at in sorted(taken))
    return found + b"\n" + last_lines(log, room - len(found) - 1)


SIMPLE = {
    "head": first_lines,
    "tail": last_lines,
    "ends": lambda log, room: both(log, room, 0.5),
    "20/80": lambda log, room: both(log, room, 0.2),
    "grep+tail": grep_and_tail,
}


# ---------- scoring ----------
def best_possible(texts, room):
    """Returns the number of wanted texts that fit into the room without other text."""
    count = 0
    for text in sorted(texts, key=len):
        room -= len(text.encode()) + 1
        if room < 0:
            break
        count += 1
    return count


def score(job):
    """Returns the label of a log with recall and size for each budget and method."""
    directory, label, ways, budgets, program, state = job
    log = corpus.read(directory, label["file"])
    texts = corpus.wanted(label, log)
    if not texts:
        return None
    rows = {}
    for budget in budgets:
        for way in ways:
            if way == "oracle":
                rows[budget, way] = (best_possible(texts, budget) / len(texts), 0)
                continue
            if way in SIMPLE:
                shown = SIMPLE[way](log, budget)
            else:
                command = [program, "cut", "--keep", way.removeprefix("ours: "), "--max-bytes", str(budget), "--max-lines", "2000"]
                shown = subprocess.run(command, input=log, stdout=subprocess.PIPE, env={**os.environ, "XDG_STATE_HOME": state}, check=True).stdout
            fits = len(shown) <= budget
            rows[budget, way] = (corpus.kept(texts, shown) / len(texts) if fits else 0.0, len(shown))
    return label, rows


def mean(values):
    values = list(values)
    return sum(values) / max(1, len(values))


def grouped(scored, key, field):
    """Returns the mean recall for each value of a field of the labels."""
    groups = collections.defaultdict(list)
    for label, rows in scored:
        groups[str(label.get(field))].append(rows[key][0])
    return {name: mean(values) for name, values in sorted(groups.items())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--keep", nargs="*", help="score only overspill, with these values of its option --keep")
    parser.add_argument("--budget", nargs="*", type=int, default=[51200, 8192, 2048])
    parser.add_argument("--by", nargs="*", default=["position", "dataset"])
    parser.add_argument("--min-bytes", type=int, default=51200, help="score only logs with more bytes")
    parser.add_argument("--program", default=str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/overspill"))
    options = parser.parse_args()
    if options.keep is None:
        ways = [*SIMPLE, "ours: ends", "ours: signal", "oracle"]
    else:
        ways = [f"ours: {keep}" for keep in options.keep]
    with tempfile.TemporaryDirectory() as state, concurrent.futures.ProcessPoolExecutor() as pool:
        jobs = [(options.corpus, label, ways, options.budget, options.program, state) for label in corpus.labels(options.corpus, options.min_bytes)]
        scored = [result for result in pool.map(score, jobs, chunksize=4) if result]
    print(f"{len(scored)} logs over {options.min_bytes} bytes")
    print(f"{'budget':>7} {'way':<13} recall  macro project    any   size")
    for budget in options.budget:
        for way in ways:
            key = (budget, way)
            recalls = [rows[key][0] for _, rows in scored]
            print(f"{budget:7} {way:<13} {mean(recalls):6.3f} {mean(grouped(scored, key, 'dataset').values()):6.3f} "
                  f"{mean(grouped(scored, key, 'group').values()):7.3f} {mean(recall > 0 for recall in recalls):6.3f} {mean(rows[key][1] for _, rows in scored):6.0f}")
    for field in options.by:
        counts = collections.Counter(str(label.get(field)) for label, _ in scored)
        print(f"\nrecall by {field}: " + ", ".join(f"{name} ({count})" for name, count in sorted(counts.items())))
        for budget in options.budget:
            for way in ways:
                print(f"{budget:7} {way:<13} " + " ".join(f"{value:6.3f}" for value in grouped(scored, (budget, way), field).values()))


if __name__ == "__main__":
    main()
