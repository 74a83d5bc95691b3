"""Compares the Python package with klaude's way of shortening an output in plain Python. See bench/packages."""

import resource
import subprocess
import sys
import time
from pathlib import Path

MAX_LENGTH, HEAD, TAIL = 40_000, 10_000, 10_000


def plain(output, directory, number, most=MAX_LENGTH):
    """Shortens an output as klaude's document describes."""
    if len(output) <= most:
        return output
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"Bash-call-{number}.txt"
    path.write_text(output, encoding="utf-8")
    hidden = len(output) - HEAD - TAIL
    head, tail = output[:HEAD], output[-TAIL:]
    return (
        f"[Output truncated: {hidden} chars hidden, full output saved to {path}. Use Read tool or rg to get "
        f"details. Showing first {HEAD} and last {TAIL} chars below.]\n\n{head}\n\n"
        f"... ({hidden} characters truncated) ...\n\n[Last {TAIL} chars below]\n{tail}"
    )


def log(size):
    line = "2026-01-01T00:00:00 INFO worker 17 has done the thing that it was asked to do\n"
    return (line * (size // len(line) + 1))[:size]


def best(rounds, times, act):
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(times):
            act()
        seconds.append((time.perf_counter() - started) / times)
    return min(seconds)


def main(what, megabytes, scratch, rust):
    from overspill import Overspill

    scratch = Path(scratch)
    output = log(int(megabytes) * 1_000_000)
    numbers = iter(range(10**9))
    ours = Overspill(profile="klaude", store=scratch / "ours", durability="none")
    # The first call has the largest output, so that its extra costs do not count.
    act = {
        "plain": lambda: plain(output, scratch / "plain", next(numbers)),
        "ours": lambda: ours.process(output, tool="Bash", call_id="call"),
        "bytes": lambda: ours.process(output.encode(), tool="Bash", call_id="call"),
    }
    if what in act:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        act[what]()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        return
    small, fits = "x" * 100, log(49 * 1024)
    own = Overspill(store=scratch / "own", durability="none")
    fitting = Overspill(profile="klaude", max_length=60_000, store=scratch / "ours")
    empty = best(7, 100_000, lambda: None)
    call = best(7, 100_000, lambda: own.process(small)) - empty
    print(f"Python: small fit {call * 1e9:.0f} ns, {call * 1e9 - float(rust):.0f} ns over Rust")
    times = [best(7, 20_000, lambda: plain(fits, scratch, 0, 60_000)), best(7, 20_000, lambda: fitting.process(fits))]
    times.append(best(7, 20_000, lambda: own.process(fits)))
    print("Python: fits at 49 KB: klaude {:.2f} us, ours as klaude {:.2f} us, ours {:.2f} us".format(*(t * 1e6 for t in times)))

    def cut(name):
        seconds = best(5, 1, act[name])
        for file in scratch.glob("*/Bash*"):
            file.unlink()
        return seconds

    theirs, mine = cut("plain"), cut("ours")
    print(f"Python: {megabytes} MB cut + save: klaude {theirs * 1e3:.0f} ms, ours {mine * 1e3:.0f} ms, {theirs / mine:.2f}x as fast")
    for name in ["plain", "ours"]:
        command = [sys.executable, __file__, name, megabytes, str(scratch), rust]
        more = int(subprocess.run(command, capture_output=True, check=True).stdout)
        print(f"Python: memory at {megabytes} MB, {name}: {1 + more * 1024 / len(output):.2f}x of the input")


main(*sys.argv[1:])
