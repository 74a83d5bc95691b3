"""Checks that overspill works in real host agents: `check.py PROGRAM [NAME…]`. It prints one line for each host.

Each host runs in its own home directory, into which `overspill init` has put overspill. A scripted model makes tool
calls and checks the results. At the end, `uninstall` must restore the same bytes in all settings. `compare.py` plays
the scenarios of `scenarios.py` and `running.py` with and without overspill.
"""

import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from compare import compared
from drive import Host, program, versions
from judge import MOST, plain
from model import Model
from scenarios import HOSTS as COMPARED
from scenarios import reasons
from setup import put_in, run, set_up, settings_in

RESULTS = Path(__file__).resolve().parent / "results.json"
# The number of characters that each host shows of a command that did not fail. The limits of overspill are a little lower.
MOST_OF_SUCCESS = {
    "claude-code": 30_000, "gemini": 40_000, "opencode": 51_200, "kilo": 51_200, "pi": 51_200, "goose": 50_000,
    "continue": 25_000, "kimi-code": 50_000, "cline": 8_000, "qwen": 30_000,
    "copilot": 20_000,
}
# Continue divides its 1,000 lines among commands that run at the same time. overspill leaves room for two.
MOST_LINES = {"continue": 500}


def follow(results):
    """Returns the call that the notice of the first result gives for reading a gap."""
    gap = re.search(r": lines (\d+-\d+) cut\]", results[0])
    tool = re.search(r"; (\w+) (/\S+) offset A limit N", results[0])
    if tool and gap:
        place = {"file_path": tool.group(2), "offset": int(gap.group(1).split("-")[0]), "limit": 5}
        return ("tool", (tool.group(1), place))
    read = re.search(r"(\S+ read \S+ --lines) A-B", results[0])
    return ("shell", f"{read.group(1)} {gap.group(1)}" if read and gap else "echo there is no pointer")


# The steps: the name of the check, and the call of the model.
STEPS = [
    ("a failing command of 40,000 lines", ("shell", "seq 1 40000; exit 3")),
    ("a pointer that works when followed", follow),
    ("a small output is untouched", ("shell", "echo out; echo err >&2")),
    ("an error in the middle of 200 KB", ("shell", "seq 1 40000 | sed '20000s/.*/error: the disk is full/'")),
    ("a listing uses the room that the host has", ("shell", "seq -f src/part_number_%.0f.rs 1 8000")),
    ("NUL and colour bytes", ("shell", r"printf 'a\000b\033[31mred\033[0m\n'; seq 1 5000")),
    ("a failure that a pipe hides", ("shell", "(seq 1 3000; exit 7) 2>&1 | tail -2")),
    ("an MCP call", ("mcp", "numbers")),
    ("a rule against a command still holds", ("shell", "touch denied")),
]
# These hosts stop reading when the process of a command ends. On a busy machine they lose outputs even without overspill.
LOSSY = ("gemini", "qwen")
# The checks that a host cannot pass, and the reason.
NOT_THERE = {
    ("pi", "an MCP call"): "it has no MCP of its own",
    ("pi", "a rule against a command still holds"): "it has no rules",
    ("opencode", "exit code"): "it shows none to the model",
    ("copilot", "a failure that a pipe hides"): "its hook sees a command only when it has ended",
    ("kilo", "exit code"): "it shows none to the model",
    ("continue", "exit code"): "it shows none to the model",
    ("continue", "a rule against a command still holds"): "without its screen it checks none",
    ("kimi-code", "a rule against a command still holds"): "without its screen it checks none",
    ("cline", "a rule against a command still holds"): "it has no rules about commands",
    ("goose", "a rule against a command still holds"): "it has no rules about commands",
}


def wrong(name, what, results, host):
    """Returns the fault in the result of a check, or None."""
    index = [step for step, _ in steps_of(name)].index(what)
    if index >= len(results):
        return f"there are only {len(results)} results"
    text = results[index]
    if what == "a failing command of 40,000 lines":
        most = MOST if name == "claude-code" else MOST_OF_SUCCESS.get(name, MOST)
        if len(text) > most:
            return f"{len(text)} characters"
        if "[overspill " not in text or "\n39999\n40000" not in text:
            return "the notice or the true end is missing"
        shown = re.search(r"(?i)(exit code:? 3|code 3\b|exited with 3)", text)
        return None if shown or (name, "exit code") in NOT_THERE else "the exit code is not there"
    if what == "a pointer that works when followed":
        first = re.search(r": lines (\d+)-\d+ cut\]", results[0])
        # Claude Code puts the line number before each line.
        return None if first and re.search(rf"(?m)(^|: |\t){first.group(1)}$", text) else text[:300]
    if what == "a small output is untouched":
        return None if "out" in text and "err" in text and "overspill" not in text else text[:300]
    if what == "an error in the middle of 200 KB":
        most = MOST_OF_SUCCESS.get(name, MOST)
        return None if "error: the disk is full" in text and len(text) <= most else f"{len(text)} characters"
    if what == "a listing uses the room that the host has":
        most = MOST_OF_SUCCESS.get(name, MOST)
        lines = MOST_LINES.get(name)
        if lines:
            shown = len(text.splitlines())
            return None if lines * 4 // 5 < shown <= lines and len(text) <= most else f"{shown} of {lines} lines"
        return None if most * 4 // 5 < len(text) <= most else f"{len(text)} of {most} characters"
    if what == "NUL and colour bytes":
        whole = "5000" in text and "red" in text and "\0" not in text and "[overspill " in text
        return None if whole else text[:300]
    if what == "a failure that a pipe hides":
        # overspill saves the whole output of the first stage, and the host still sees exit code 0.
        said = "exited with code 7; the exit code 0 is `tail`'s. Its 3,000 lines are saved" in text
        return None if said and "2999\n3000" in text else text[:300]
    if what == "an MCP call":
        whole = "overspill" in text and "error: the disk is full, 108894 bytes" in text and len(text) <= MOST
        return None if whole else f"{len(text)} characters: {text[:300]}"
    return "it was run" if (host.work / "denied").exists() else None


def steps_of(name):
    return [(what, step) for what, step in STEPS if (name, what) not in NOT_THERE]


def headless(name, overspill, home):
    """Plays all steps. Returns the faults."""
    model, host, words, before = set_up(name, overspill, home, [step for _, step in steps_of(name)], ["--mcp"])
    inited = settings_in(host.home)
    done = host.run(words)
    faults = []
    for what, _ in steps_of(name):
        fault = wrong(name, what, model.results, host)
        faults += [f"{what}: {fault}"] if fault else []
    # The host may write its own files, but uninstall must remove every file of overspill.
    after = settings_in(host.home)
    untouched = all(after.get(path) == text for path, text in inited.items())
    run(overspill, "uninstall", name, environment=host.environment)
    left = {path: text for path, text in settings_in(host.home).items() if path in before or path in inited}
    if untouched and left != before:
        faults.append(f"uninstall left {sorted(set(left) ^ set(before)) or 'other text'}")
    ours = [path for path, text in settings_in(host.home).items() if b"overspill/bin" in text and "/sessions/" not in path]
    if ours:
        faults.append(f"uninstall left something of ours in {ours}")
    model.close()
    if faults:
        faults.append(f"its exit code was {done.returncode}, its last words {done.stdout[-400:]!r} {done.stderr[-400:]!r}")
    if faults and os.environ.get("KEEP_RESULTS"):
        for (what, _), result in zip(steps_of(name), model.results):
            faults.append(f"--- {what} ({len(result)} characters): {result[:300]!r} ... {result[-300:]!r}")
    return faults


def on_terminal(name, overspill, home):
    """Plays two steps on a terminal: a long output becomes a preview, and a short output is unchanged."""
    steps = [("shell", "seq 1 40000; exit 3"), ("shell", "test -t 1 && seq 1 1500")]
    model, host, _, _ = set_up(name, overspill, home, steps, [])
    host.run_on_terminal(lambda: len(model.results) == len(steps))
    model.close()
    if len(model.results) < len(steps):
        return [f"on a terminal there are only {len(model.results)} results"]
    large, small = model.results
    faults = []
    if "[overspill " not in large or "\n39999\n40000" not in large or len(large) > MOST:
        faults.append(f"on a terminal: {len(large)} characters, {large[:200]!r} ... {large[-200:]!r}")
    if "\n1499\n1500" not in small or "overspill" in small:
        faults.append(f"on a terminal, what fits: {small[:100]!r} ... {small[-100:]!r}")
    return faults


def second_layer(name, overspill, home):
    """Checks hooks and plugins alone, with the result of a tool that is not the shell."""
    step = ("tool", ("read", {"path": "many.txt"})) if name == "pi" else ("mcp", "some")
    # The plugin of Cline also shortens commands, for users without the alias.
    steps = [step, ("shell", "seq 1 9000")] if name == "cline" else [step]
    model, host, words, _ = set_up(name, overspill, home, steps, ["--hooks"], with_alias=False)
    (host.work / "many.txt").write_text("".join(f"{n}\n" for n in range(1, 3001)))
    host.run(words)
    model.close()
    most = min(MOST, MOST_OF_SUCCESS.get(name, MOST))
    texts = model.results or ["no result"]
    faults = [f"second layer: {len(text)} characters, {text[:300]!r}" for text in texts
              if "[overspill " not in text or len(text) > most]
    faults += [] if len(texts) == len(steps) else [f"second layer: {len(texts)} of {len(steps)} results"]
    if name == "claude-code":
        plugin = host.home / "plugin"
        run(overspill, "init", name, "--plugin", str(plugin), environment=host.environment)
        told = host.run(["plugin", "validate", str(plugin)])
        faults += [] if told.returncode == 0 else [f"plugin: {told.stdout}{told.stderr}"]
    return faults


def path_of_its_own(name, overspill, home):
    """Checks the notice if overspill is on the PATH of the host, and the start files of the shell set another PATH."""
    for file in (".profile", ".bashrc"):
        home.mkdir(exist_ok=True)
        (home / file).write_text("PATH=/usr/local/bin:/usr/bin:/bin\n")
    what = "a pointer that works when followed"
    model, host, words, _ = set_up(name, overspill, home, [("shell", "seq 1 40000"), follow], [], on_path=True)
    host.run(words)
    model.close()
    if len(model.results) < 2:
        return [f"{what}, with a PATH of its own: there are only {len(model.results)} results"]
    fault = wrong(name, what, model.results, host)
    return [f"{what}, with a PATH of its own: {follow(model.results)[1]!r} shows {fault!r}"] if fault else []


def reading(name, overspill, home):
    """Checks a host that asks before each command: after `--allow-read`, reading saved outputs needs no question."""
    faults = []
    read = lambda results: ("shell", re.search(r"overspill (?:read|grep RE) (\w+)", results[0]).expand(r"overspill read \1"))
    for options in ([], ["--allow-read"]):
        steps = [("shell", "seq 1 90000"), follow, read, ("shell", "overspill list"), ("shell", "overspill gc --dry-run")]
        model = Model(steps)
        host = Host(name, home / "-".join(["reading", *options]))
        programs = host.home / ".local/bin"
        programs.mkdir(parents=True)
        (programs / "overspill").symlink_to(Path(overspill).resolve())
        host.environment["PATH"] = f"{programs}:{host.environment['PATH']}"
        words = host.asking(host.settings(model.url))
        before = settings_in(host.home)
        said = run(overspill, "init", name, "--force", *options, environment=host.environment)
        inited = settings_in(host.home)
        host.run(words)
        model.close()
        results = model.results + ["it was refused"] * (len(steps) - len(model.results))
        pointer = "a pointer that works when followed"
        is_read = [wrong(name, pointer, results, host) is None, "\n2\n3\n" in results[2]]
        is_listed, is_swept = "seq 1 90000" in results[3], "would be removed" in results[4] or "nothing" in results[4]
        may = bool(options)
        # The Read tool of Claude Code may open saved outputs also without `--allow-read`.
        own_tool = name == "claude-code"
        if [is_read[0], is_read[1], is_listed, is_swept] != [may or own_tool, may, may, False]:
            faults.append(f"reading with {options}: {[text[:200] for text in results]!r}, {said!r}")
        ran = settings_in(host.home)
        run(overspill, "uninstall", name, environment=host.environment)
        after = settings_in(host.home)
        ours = [path for path, text in inited.items() if before.get(path) != text and "/overspill/" not in path]
        # If the host has rewritten a file, only the rules of overspill must be gone.
        clean = lambda text: b"overspill/bin" not in text and b"overspill read" not in text
        well = lambda path: clean(after[path]) if ran.get(path) != inited[path] else after.get(path) == before.get(path)
        if not all(map(well, ours)):
            faults.append(f"uninstall after {options} left other settings")
    return faults


def once(part, name, overspill):
    with tempfile.TemporaryDirectory(prefix="overspill-host-", ignore_cleanup_errors=True) as home:
        return part(name, overspill, Path(home) / "home")


def place_of(fault):
    """Returns the scenario and the step that a fault names."""
    return tuple(fault.split(": ")[:2])


def left_behind(name, overspill, home):
    """Checks jobs that outlive the shell of their command: the model gets the same text with and without overspill."""
    # Some hosts drop output that comes more than a second after the end of the shell. Others wait for all of it.
    steps = [("shell", f"(sleep {delay}; echo la''te) & echo started") for delay in (1.6, 4)]
    # These hosts do not wait for a job that prints nothing for that long. For them, another job prints from the start on.
    if name in ("claude-code", "codex", "qwen", "pi"):
        steps.append(("shell", "(sleep 0.2; n=0; while [ $n -lt 100 ]; do echo la''te; n=$((n + 1)); sleep 0.02; done) & echo started"))
    model, host, words, _ = set_up(name, overspill, home, steps, [])
    host.run(words)
    model.close()
    alone, bare = Model(steps), Host(name, home.parent / "bare")
    bare.run(bare.settings(alone.url))
    alone.close()
    if not len(model.results) == len(alone.results) == len(steps):
        return [f"left behind: {len(model.results)} results, {len(alone.results)} without us, of {len(steps)}"]
    pairs = [(plain(ours, host.home), plain(theirs, bare.home)) for ours, theirs in zip(model.results, alone.results)]
    return [f"left behind: {ours!r}, without us {theirs!r}" for ours, theirs in pairs
            if ours != theirs]


def shell_of_the_user(name, overspill, home):
    """Checks that the host runs commands with the shell in SHELL, with and without overspill."""
    zsh = shutil.which("zsh")
    if zsh is None:
        print(f"skipped: there is no zsh here, so {name} is not run with it as the user's shell")
        return []
    results = []
    for place, program in ((home, overspill), (home.parent / "bare", None)):
        model, host = Model([("shell", "echo zsh $ZSH_VERSION")]), Host(name, place)
        host.environment["SHELL"] = zsh
        words = host.settings(model.url)
        if program:
            put_in(host, program, [])
        host.run(words)
        model.close()
        results.append([plain(result, host.home) for result in model.results])
    ours, theirs = results
    well = ours == theirs and any(re.search(r"zsh \d", result) for result in ours)
    return [] if well else [f"shell of the user: {ours!r}, without us {theirs!r}"]


def check(name, overspill):
    """Checks one host. Tells whether it passed all checks."""
    started = time.time()
    parts = [headless, path_of_its_own]
    parts += [on_terminal] if name in Host.INTERACTIVE else []
    parts += [reading] if name in ("claude-code", "gemini", "opencode") else []
    parts += [second_layer] if name in ("claude-code", "opencode", "pi", "cline") else []
    parts += [shell_of_the_user] if name in ("opencode", "kilo") else []
    parts += [compared] if name in COMPARED else []
    # Copilot runs commands itself, and its hook sees only the results.
    parts += [left_behind] if name != "copilot" else []
    faults = []
    for part in parts:
        found = once(part, name, overspill)
        # A busy machine delays hosts, and some lose outputs then. A delay rarely fails the same check again,
        # so only the faults of all runs count.
        for _ in range(2 if name in LOSSY else 1):
            if not found:
                break
            print(f"{name}: tried again, since a busy machine can cause this: {found[0][:100]!r}")
            again = {place_of(fault) for fault in once(part, name, overspill)}
            found = [fault for fault in found if place_of(fault) in again]
        faults += found
    took = f"{time.time() - started:.0f} s"
    also = "".join(f", {part.__name__.replace('_', ' ')}" for part in parts[1:])
    skipped = [f"{what} ({why})" for (host, what), why in NOT_THERE.items() if host == name] + reasons(name)
    without = f"; not there: {', '.join(skipped)}" if skipped else ""
    state = "WRONG" if faults else "ok"
    print(f"{state}: {name} {versions()[name][1]}, {len(steps_of(name))} steps{also}, {took}{without}", flush=True)
    for fault in faults:
        print(f"  {fault}")
    if not faults:
        record(name)
    return not faults


def record(name):
    """Writes the result of a host into results.json. docs/hosts.md shows these rows."""
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    rows[name] = {
        "version": versions()[name][1],
        "except": {what: why for (host, what), why in NOT_THERE.items() if host == name},
    }
    ordered = {name: rows[name] for name in versions() if name in rows}
    text = json.dumps(ordered, indent=2) + "\n"
    if not RESULTS.exists() or RESULTS.read_text() != text:
        RESULTS.write_text(text)


def main():
    overspill, *names = sys.argv[1:]
    well = True
    for name in names or versions():
        if program(name) is None:
            print(f"skipped: {name} is not installed; crates/overspill-cli/tests/hosts/install does it")
            continue
        well &= check(name, os.path.abspath(overspill))
    sys.exit(0 if well else 1)


main()
