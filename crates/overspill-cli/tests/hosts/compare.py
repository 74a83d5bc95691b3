"""Plays the same calls in a host with and without overspill, and compares the results that the model and hooks get."""

import json
import os
import re
import subprocess
import threading
from collections import namedtuple

from drive import Host
from judge import Result, difference, plain, same
from model import Model
from scenarios import agents_of, scenarios_of
from setup import put_in

LOG = "hooks.log"


def play(name, home, steps, agents, overspill=None):
    """Plays the calls in a new home directory. Returns the model and the host."""
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


# One call of a scenario: its description, the judge of its result, and whether other calls run at the same time.
Call = namedtuple("Call", "what judge is_loose")


def calls_of(title, steps, is_agent=False):
    """Returns the calls of the steps."""
    calls = []
    for step in steps:
        count = len(step.turn) if isinstance(step.turn, list) else 1
        judges = step.judge if isinstance(step.judge, list) else [step.judge] * count
        calls += [Call(f"{title}: {step.what}", judge, is_agent or isinstance(step.turn, list)) for judge in judges]
    return calls


def compared(name, overspill, home):
    """Plays all scenarios of a host, with and without overspill at the same time. Returns the differences."""
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
    conversations = [([call for title, steps in scenarios for call in calls_of(title, steps)], ours.main, theirs.main)]
    for part, own in agents.items():
        calls = [call for call in calls_of("agent", own, is_agent=True) if call.judge]
        conversations.append((calls, ours.agents[part], theirs.agents[part]))
    faults, loose, unlike = [], set(), set()
    for calls, mine, alone in conversations:
        faults += differences(calls, mine, alone, host, bare)
        keys = [plain(key_of(*made), host.home) for made in mine.calls]
        loose |= {key for call, key in zip(calls, keys) if call.is_loose}
        unlike |= {key for call, key in zip(calls, keys) if call.judge is not same}
    faults += hook_differences(events_in(host), events_in(bare), loose, unlike)
    faults += [f"compared: {reason}" for reason in ours.broken + theirs.broken]
    return faults


def differences(calls, ours, theirs, host, bare):
    """Returns the faults that the judges find in one conversation."""
    faults = []
    if not len(ours.results) == len(theirs.results) == len(calls):
        faults.append(f"compared: {len(ours.results)} results, {len(theirs.results)} without us, of {len(calls)}")
    for call, *both in zip(calls, ours.results, ours.sent, theirs.results, theirs.sent):
        mine = Result(plain(both[0], host.home), plain(both[1], host.home))
        alone = Result(plain(both[2], bare.home), plain(both[3], bare.home))
        fault = call.judge(mine, alone)
        faults += [f"{call.what}: {fault}"] if fault else []
        if os.environ.get("KEEP_RESULTS"):
            print(f"--- {call.what}: {'WRONG' if fault else 'ok'}\n    {mine.text[:150]!r} … {mine.text[-150:]!r}\n    {alone.text[:150]!r} … {alone.text[-150:]!r}")
    return faults


def key_of(name, arguments):
    """Returns the key by which a hook identifies a call: the command, or the name of the tool."""
    return arguments.get("command") or arguments.get("cmd") or name


def timeless(given):
    return re.sub(r'"\w*[dD]uration\w*": \d+', "…", json.dumps(given, ensure_ascii=False))


def events_in(host):
    """Returns the calls of the user's hooks: the event, the command or tool, the input of the hook, and the result of the call."""
    log = host.home / LOG
    events = []
    for line in log.read_text().splitlines() if log.exists() else []:
        given = plain(json.loads(line), host.home)
        # The hook of Gemini CLI gets the command of the MCP server, which `init --mcp` changes.
        given.get("mcp_context", {}).pop("command", None), given.get("mcp_context", {}).pop("args", None)
        inner, outer = given.get("input") or {}, given.get("output") or {}
        arguments = given.get("tool_input") or inner.get("args") or outer.get("args") or {}
        key = key_of(given.get("tool_name") or inner.get("tool"), arguments)
        back = {name: given.pop(name) for name in ("tool_response", "error", "output") if name in given and "args" not in outer}
        events.append((given.get("hook_event_name") or given.get("event"), key, timeless(given), timeless(back)))
    return events


def hook_differences(ours, theirs, loose, unlike):
    """Checks that the same hooks run in the same order with the same input, and with the same result if the model gets the same."""
    # Hosts put the name of the server before the name of the tool.
    is_in = lambda key, keys: any(key == one or key.endswith(f"_{one}") for one in keys)
    if not theirs:
        return ["hooks: the user's own hook did not run, even without us"]
    # Calls that run at the same time may end in any order.
    order = [[(kind, key) for kind, key, *_ in events if not is_in(key, loose)] for events in (ours, theirs)]
    faults = []
    if order[0] != order[1]:
        at = next((n for n, (a, b) in enumerate(zip(*order)) if a != b), min(map(len, order)))
        faults.append(f"hooks: {len(order[0])} calls, {len(order[1])} without us; from number {at} {order[0][at:at + 3]}, without us {order[1][at:at + 3]}")
    for key in dict.fromkeys(key for _, key, *_ in theirs):
        mine, alone = ([event for event in events if event[1] == key] for events in (ours, theirs))
        differs = is_in(key, unlike) or any(len(back) > 2000 for *_, back in mine + alone)
        seen = [[event[:3] if differs else event for event in events] for events in (mine, alone)]
        fault = difference(*(json.dumps(events, ensure_ascii=False) for events in seen))
        faults += [f"hooks: of {key!r} {fault}"] if fault else []
    return faults
