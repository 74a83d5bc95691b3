"""Plays the same calls in a host with overspill and in one without it, and compares what model and hooks see."""

import json
import os
import re
import subprocess
import threading

from drive import Host
from judge import Result, difference, plain, same
from model import Model
from scenarios import agents_of, scenarios_of
from setup import put_in

LOG = "hooks.log"


def play(name, home, steps, agents, overspill=None):
    """Plays the calls in a new home; returns the model and the host."""
    model = Model(steps, agents)
    host = Host(name, home)
    words = host.with_hooks(host.settings(model.url), host.home / LOG)
    if overspill:
        put_in(host, overspill, ["--mcp"])
    try:
        host.run(words, timeout=240)
    except subprocess.TimeoutExpired:
        model.broken.append(f"the host did not end; its last result was {model.results[-1:]!r}")
    model.close()
    return model, host


def calls_in(turn):
    return [] if callable(turn) else turn if isinstance(turn, list) else [turn]


def key_of(call):
    """Returns what a hook knows a call by: the command, or the name of the tool."""
    kind, what = call
    if kind != "tool":
        return what
    return what[1].get("command") or what[1].get("cmd") or what[0]


def judges_of(step):
    """Returns a judge for each call of a step."""
    if isinstance(step.judge, list):
        return step.judge
    return [step.judge] * (len(step.turn) if isinstance(step.turn, list) else 1)


def compared(name, overspill, home):
    """Plays all scenarios of a host, with and without overspill at the same time; returns what differs."""
    scenarios, agents = scenarios_of(name), agents_of(name)
    steps = [step for _, steps in scenarios for step in steps]
    turns = [step.turn for step in steps]
    said = {part: [step.turn for step in steps] for part, steps in agents.items()}
    played = {}
    alone = threading.Thread(target=lambda: played.update(alone=play(name, home.parent / "bare", turns, said)))
    alone.start()
    played["ours"] = play(name, home, turns, said, overspill)
    alone.join()
    if "alone" not in played:
        return ["compared: the host without overspill could not be run"]
    (ours, host), (theirs, bare) = played["ours"], played["alone"]
    what = [(f"{title}: {step.what}", judge) for title, steps in scenarios for step in steps for judge in judges_of(step)]
    faults = differences(what, ours.main, theirs.main, host, bare)
    for part, own in agents.items():
        what = [(f"agent: {step.what}", step.judge) for step in own if step.judge]
        faults += differences(what, ours.agents[part], theirs.agents[part], host, bare)
    every = steps + [step for own in agents.values() for step in own]
    unlike = {key_of(call) for step in every if step.judge is not same for call in calls_in(step.turn)}
    faults += hook_differences(events_in(host), events_in(bare), loose_in(steps, agents), unlike)
    faults += [f"compared: {reason}" for reason in ours.broken + theirs.broken]
    return faults


def differences(what, ours, theirs, host, bare):
    """Returns what the judges say of the results of one conversation."""
    faults = []
    if not len(ours.results) == len(theirs.results) == len(what):
        faults.append(f"compared: {len(ours.results)} results, {len(theirs.results)} without us, of {len(what)}")
    for (name, judge), *both in zip(what, ours.results, ours.sent, theirs.results, theirs.sent):
        mine = Result(plain(both[0], host.home), plain(both[1], host.home))
        alone = Result(plain(both[2], bare.home), plain(both[3], bare.home))
        fault = judge(mine, alone)
        faults += [f"{name}: {fault}"] if fault else []
        if os.environ.get("KEEP_RESULTS"):
            print(f"--- {name}: {'WRONG' if fault else 'ok'}\n    {mine.text[:150]!r} … {mine.text[-150:]!r}\n    {alone.text[:150]!r} … {alone.text[-150:]!r}")
    return faults


def loose_in(steps, agents):
    """Returns the commands whose order is not given: those of one turn, and those of an agent beside the host."""
    together = [call for step in steps if isinstance(step.turn, list) for call in step.turn]
    apart = [call for own in agents.values() for step in own for call in calls_in(step.turn)]
    return {key_of(call) for call in together + apart}


def timeless(given):
    return re.sub(r'"\w*[dD]uration\w*": \d+', "…", json.dumps(given, ensure_ascii=False))


def events_in(host):
    """Returns the calls of the user's hooks: the kind, the command or tool, what the hook was handed, what came back."""
    log = host.home / LOG
    events = []
    for line in log.read_text().splitlines() if log.exists() else []:
        given = plain(json.loads(line), host.home)
        # The hook of Gemini CLI is told how the server is started, and that is what `init --mcp` changes.
        given.get("mcp_context", {}).pop("command", None), given.get("mcp_context", {}).pop("args", None)
        inner, outer = given.get("input") or {}, given.get("output") or {}
        arguments = given.get("tool_input") or inner.get("args") or outer.get("args") or {}
        key = arguments.get("command") or given.get("tool_name") or inner.get("tool")
        back = {name: given.pop(name) for name in ("tool_response", "error", "output") if name in given and "args" not in outer}
        events.append((given.get("hook_event_name") or given.get("event"), key, timeless(given), timeless(back)))
    return events


def hook_differences(ours, theirs, loose, unlike):
    """The same hooks run in the same order, with the same input. What came back is the same, if the model sees the same."""
    # A host puts the name of the server before that of its tool.
    is_in = lambda key, keys: any(key == one or key.endswith(f"_{one}") for one in keys)
    if not theirs:
        return ["hooks: the user's own hook did not run, even without us"]
    order = [[(kind, key) for kind, key, *_ in events if not is_in(key, loose)] for events in (ours, theirs)]
    if order[0] != order[1]:
        at = next((n for n, (a, b) in enumerate(zip(*order)) if a != b), min(map(len, order)))
        return [f"hooks: {len(order[0])} calls, {len(order[1])} without us; from number {at} {order[0][at:at + 3]}, without us {order[1][at:at + 3]}"]
    faults = []
    for key in dict.fromkeys(key for _, key, *_ in theirs):
        mine, alone = ([event for event in events if event[1] == key] for events in (ours, theirs))
        differs = is_in(key, unlike) or any(len(back) > 2000 for *_, back in mine + alone)
        seen = [[event[:3] if differs else event for event in events] for events in (mine, alone)]
        fault = difference(*(json.dumps(events, ensure_ascii=False) for events in seen))
        faults += [f"hooks: of {key!r} {fault}"] if fault else []
    return faults
