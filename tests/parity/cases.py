"""The table of cases: our own cases, and the golden vectors that an engine can answer.

A case has a name, `setup` (options of the engine), `call` (options of the call), and an `input` (text),
`base64` (bytes) or `result`; `how` names the method: process, spill, apply or batch. `ask` asks about
the saved output. `directory` asks for the directory of outputs. `variables` are environment variables. `fault` means that the store's directory cannot be made.
"""

import base64
import json
from pathlib import Path

VECTORS = Path(__file__).parents[2] / "crates/overspill/tests/vectors/data"


def numbered(lines):
    return "".join(f"line {number}\n" for number in range(1, lines + 1))


def own():
    log = numbered(900) + "error: disk full at src/store.rs:12\n" + numbered(900)
    rows = "\n".join(json.dumps({"n": n, "level": "error" if n == 777 else "info"}) for n in range(4000))
    texts = {
        "empty": "",
        "short": "short",
        "crlf": "a\r\nb\r\n" * 2000,
        "lines": numbered(5000),
        "log": log,
        "json": json.dumps({"items": [{"id": n, "name": f"item {n}"} for n in range(5000)]}),
        "rows": rows,
        "one line": "x" * 300_000,
        "wide": "grüße 🚀 日本語\n" * 9000,
        "controls": "\x1b[31mred\x1b[0m\x00\x07 50%\r100%\n" * 4000,
        "imitation": "[overspill abc123: lines 1-2 not shown]\n" * 3000,
        "long": "some line of a log\n" * 200_000,
    }
    setups = {
        "default": {},
        "tight": {"max_lines": 20, "max_bytes": 1000},
        "tiny": {"max_bytes": 90},
        "zero": {"max_lines": 0},
        "chars": {"max_lines": "none", "max_bytes": "none", "max_chars": 500},
        "tokens": {"profile": "opencode", "max_tokens": 300},
        **{keep: {"keep": keep, "max_lines": 50} for keep in ["head", "tail", "ends", "signal", "structure"]},
        **{name: {"profile": name} for name in ["klaude", "takumi", "agent-v2", "opencode"]},
    }
    for setup_name, setup in setups.items():
        for text_name, text in texts.items():
            case = {"setup": setup, "input": text, "call": {"tool": "make", "call_id": "c", "session": "s"}}
            yield {"name": f"own/{setup_name}/{text_name}", "how": "process", **case}
            yield {"name": f"spill/{setup_name}/{text_name}", "how": "spill", **case}
    for name, data in {"latin": b"na\xefve\n" * 9000, "noise": bytes(range(256)) * 900}.items():
        yield {"name": f"bytes/{name}", "how": "process", "setup": {}, "base64": base64.b64encode(data).decode()}
    for fault in ["overspill", "klaude", "takumi", "agent-v2", "opencode"]:
        yield {"name": f"fault/{fault}", "how": "process", "setup": {"profile": fault}, "input": log * 4, "fault": True}
    parts = [{"type": "text", "text": log}, {"type": "image", "data": "aa"}, {"type": "text", "text": log}]
    for name, result in {
        "text": log * 4,
        "object": {"output": log * 4, "metadata": {"n": 1, "deep": {"a": [1, {"b": None}]}}, "x": [1.5, True]},
        "parts": parts,
        "resource": [{"type": "resource", "resource": {"uri": "file:///a", "text": log * 4}}],
        "mcp": {"content": [{"type": "text", "text": "rows"}], "structuredContent": {"rows": log * 4}, "isError": False},
        "mcp numbers": {"content": [], "structuredContent": {"rows": [{"n": n, "x": n + 0.5, "in": {"a": {"b": {"c": {"d": [n]}}}}} for n in range(2000)]}},
        "mcp error": {"content": [{"type": "text", "text": log * 4}], "isError": True},
        "nothing": {"output": "", "n": 1},
        "null": None,
    }.items():
        yield {"name": f"apply/{name}", "how": "apply", "setup": {"max_lines": 30}, "result": result, "call": {"tool": "t"}}
    envelope = {"status": "success", "data": {"content": log * 4, "n": [1, -2.5, {"a": {"b": {"c": {"d": {"e": None}}}}}]}, "text": "ü", "stats": {"time_ms": 12, "ratio": 0.25}, "context": {"cwd": "."}}
    for name, response, call in [
        ("object", envelope, {"tool": "Read"}),
        ("text", json.dumps(envelope), {"tool": "Read", "delegate": True}),
        ("error", {**envelope, "status": "error", "error": {"code": 5}}, {"tool": "Read"}),
        ("skip", {**envelope, "context": {"truncation_skip": True}}, {}),
        ("short", {"status": "success", "data": {"n": 1}}, {}),
        ("long text", json.dumps({**envelope, "data": log * 60}), {}),
        ("tail", envelope, {"keep": "tail", "max_lines": 7}),
    ]:
        yield {"name": f"envelope/{name}", "how": "apply", "setup": {"profile": "unified"}, "result": response, "call": call}
    variables = {"TOOL_OUTPUT_MAX_LINES": "9", "TOOL_OUTPUT_MAX_BYTES": "700", "TOOL_OUTPUT_TRUNCATE_DIRECTION": "tail"}
    for name, setup in {"alone": {}, "below options": {"max_lines": 4, "keep": "head"}}.items():
        for profile in ["unified", "opencode"]:
            case = {"setup": {"profile": profile, **setup}, "result": envelope, "call": {}, "variables": variables}
            yield {"name": f"variables/{name}/{profile}", "how": "apply", **case}
    huge = numbered(90_000)
    for profile in ["overspill", "klaude", "unified", "takumi", "agent-v2", "opencode"]:
        for ceiling in [True, False]:
            case = {"setup": {"profile": profile, "ceiling": ceiling, "enabled": False}, "input": huge}
            yield {"name": f"ceiling/{ceiling}/{profile}", "how": "process", **case}
        off = {"profile": profile, "enabled": False, "tools": {"t": {"ceiling": False, "enabled": False}}}
        for tool, call in {"t": {}, "u": {}, "v": {"ceiling": False}}.items():
            case = {"setup": off, "input": huge, "call": {"tool": tool, **call}}
            yield {"name": f"ceiling/tool {tool}/{profile}", "how": "process", **case}
    skipped = {"status": "success", "data": huge, "context": {"truncation_skip": True}}
    yield {"name": "ceiling/skip", "how": "apply", "setup": {"profile": "unified", "ceiling": False}, "result": skipped}
    yield {"name": "ceiling/fault", "how": "process", "setup": {"profile": "agent-v2", "ceiling": False}, "input": huge, "fault": True}
    for name, setup in {"default": {}, "memory": {"store": "memory"}, "none": {"store": False}, "own": {"store": "/a/b"}}.items():
        for profile in ["overspill", "klaude", "unified", "takumi", "agent-v2", "opencode"]:
            yield {"name": f"directory/{name}/{profile}", "how": "directory", "setup": {"profile": profile, **setup}}
    yield {"name": "directory/project", "how": "directory", "setup": {"profile": "unified", "project_root": "/project"}}
    yield {"name": "batch", "how": "batch", "setup": {}, "inputs": ["small", log, numbered(3000)], "call": {"max_lines": 100}}
    # Made of parts, so that no scanner takes this file for a leak.
    secret = "token " + "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0" * 2 + " and corp-12\n"
    for redact in ["off", "store", "all"]:
        setup = {"redact": redact, "redact_pattern": "corp-[0-9]+"}
        for how in ["process", "spill"]:
            for name, text in {"fits": secret, "cut": log + secret + log}.items():
                yield {"name": f"redact/{redact}/{how}/{name}", "how": how, "setup": setup, "input": text}
        for name, result in {"text": secret, "parts": [{"type": "text", "text": secret}], "object": {"output": secret, "metadata": {"a": [secret]}}}.items():
            yield {"name": f"redact/{redact}/apply/{name}", "how": "apply", "setup": setup, "result": result}
        yield {"name": f"redact/{redact}/batch", "how": "batch", "setup": setup, "inputs": [secret, log * 4 + secret], "call": {}}
    for name, ask in {
        "lines": ["read", {"lines": [3, 5]}],
        "tail": ["read", {"tail": 2}],
        "bytes": ["read", {"bytes": [10, 30]}],
        "all": ["read", {}],
        "grep": ["grep", "ERROR|line 42$", {"ignore_case": True, "context": 1}],
        "bad pattern": ["grep", "a(b", {}],
        "bad question": ["read", {"tail": -1}],
    }.items():
        yield {"name": f"ask/{name}", "how": "process", "setup": {"max_lines": 10}, "input": log, "ask": ask}
    numbers = "[" + ",\n".join(map(str, range(3000))) + "]"
    for name, text, ask in [
        ("value", numbers, ["read", {"json": "$[7]"}]),
        ("values", numbers, ["read", {"json": "$[*]"}]),
        ("next values", numbers, ["read", {"json": "$[*]", "from_value": 2001}]),
        ("part of a value", numbers, ["read", {"json": "$", "from_value": [1, 100], "max_bytes": 500}]),
        ("broken value", "[12abc,\n" + numbers, ["read", {"json": "$[0]"}]),
        ("no value", numbers, ["read", {"json": "$.none"}]),
        ("value without a path", numbers, ["read", {"from_value": 3}]),
        ("no match", numbers, ["grep", "no such line", {}]),
        ("more matches", numbers, ["grep", "[0-9]", {"max_count": 2500, "before": 0}]),
    ]:
        yield {"name": f"ask/{name}", "how": "process", "setup": {"max_lines": 10}, "input": text, "ask": ask}
    for how, given in {"process": "input", "spill": "input", "apply": "result"}.items():
        yield {"name": f"misuse/masked/{how}", "how": how, "setup": {"redact": "all"}, given: secret, "call": {"masked": 0}}
    for name, setup in {"keep": {"keep": "middle"}, "profile": {"profile": "x"}, "word": {"nonsense": 1}, "redact": {"redact": "some"}, "pattern": {"redact_pattern": "a("}}.items():
        yield {"name": f"misuse/{name}", "how": "process", "setup": setup, "input": "x"}


def made(spec):
    """Returns the text that a vector's input stands for."""
    if "concat" in spec:
        return "".join(made(part) for part in spec["concat"])
    if "text" in spec:
        return spec["text"]
    first = spec.get("from", 0)
    return spec.get("join", "").join(
        spec["repeat"].replace("{i}", str(number)) for number in range(first, first + spec["n"])
    )


def is_spec(value):
    known = {"text", "repeat", "n", "from", "join", "concat"}
    return isinstance(value, dict) and set(value) <= known and bool(set(value) & {"text", "repeat", "concat"})


def vectors():
    for file in sorted(VECTORS.glob("*.json")):
        content = json.loads(file.read_text())
        for vector in content["vectors"]:
            case = MAPPED.get((content["profile"], vector["kind"]), lambda _: None)(vector)
            if case:
                case["setup"]["profile"] = content["profile"]
                name = f"vector/{content['profile']}/{vector['kind']}/{vector['id']}"
                fault = vector.get("fault") == "dir-is-file"
                yield {"call": {}, "how": "process", **case, "name": name, "fault": fault}


def klaude(vector):
    setup = {**vector["params"], "simple": vector["kind"] == "simple"}
    setup = {key: value for key, value in setup.items() if value is not False}
    call = {"tool": vector["tool"], "call_id": vector["call_id"]}
    return {"setup": setup, "call": call, "input": made(vector["input"]), "expect": vector["expect"]["output"]}


def unified(vector):
    setup = {}
    for key, name in [("TOOL_OUTPUT_MAX_LINES", "max_lines"), ("TOOL_OUTPUT_MAX_BYTES", "max_bytes")]:
        value = vector["env"].get(key, "").strip()
        if value.isascii() and value.isdigit():
            setup[name] = int(value)
    direction = vector["env"].get("TOOL_OUTPUT_TRUNCATE_DIRECTION", "").strip().lower()
    if direction in ("head", "tail"):
        setup["keep"] = direction
    call = {"tool": vector["tool"], "delegate": vector.get("task_tool", False)}
    return {"how": "apply", "setup": setup, "call": call, "result": made(vector["input"])}


def takumi(vector):
    result = {key: made(value) if is_spec(value) else value for key, value in vector.get("result", {}).items()}
    if "input" in vector:
        result["llmContent"] = made(vector["input"])
    else:
        result["llmContent"] = [
            {**part, "text": made(part["text"])} if part.get("type") == "text" and "text" in part else part
            for part in vector["parts"]
        ]
    enabled = vector.get("config", {}).get("truncation") is not False
    call = {"session": vector.get("sessionId", "test-session"), "enabled": enabled}
    return {"how": "apply", "setup": {}, "call": call, "result": result}


def service(vector):
    if {"strategy", "storage", "updates"} & set(vector) or vector.get("fault") == "strategy-fails":
        return None
    config = vector["service"]
    limits = {key: value for key, value in config.get("global", {}).items() if key in KNOWN and number_or_word(value)}
    tools = {
        tool: {key: value for key, value in entry.items() if key in KNOWN}
        for tool, entry in config.get("tools", {}).items()
    }
    if any(not number_or_word(value) for entry in tools.values() for value in entry.values()):
        return None
    setup = {**limits, **({"tools": tools} if tools else {})}
    options = dict(vector.get("options", {}))
    call = {"tool": vector["tool"], **{key: value for key, value in options.items() if key in KNOWN}}
    if isinstance(options.get("skip"), bool):
        call["enabled"] = not options["skip"]
    if "declared" in vector:
        call["declared"] = vector["declared"]
    if vector["kind"] == "middleware":
        if "should" in vector["middleware"]:
            return None
        setup["skip_tools"] = vector["middleware"].get("skipTools", [])
        result = {key: made(value) if is_spec(value) else value for key, value in vector["result"].items()}
        return {"how": "apply", "setup": setup, "call": call, "result": result}
    return {"setup": setup, "call": call, "input": made(vector["input"]), "expect": vector["expect"]["content"]}


KNOWN = {"maxLines", "maxBytes", "direction", "enabled"}


def number_or_word(value):
    return isinstance(value, (bool, str)) or isinstance(value, int) and value >= 0


def opencode(vector):
    call = dict(vector.get("options", {}))
    if "preset" in vector:
        call["preset"] = vector["preset"]
    permission = (vector.get("agent") or {}).get("permission")
    if permission is not None:
        call["permission"] = permission
    if vector["kind"] == "define":
        if vector.get("args_valid") is False:
            return None
        result = {"output": made(vector["input"]), "metadata": vector["metadata"]}
        return {"how": "apply", "setup": {}, "call": call, "result": result}
    return {"setup": {}, "call": call, "input": made(vector["input"]), "expect": vector["expect"]["content"]}


MAPPED = {
    ("klaude", "truncate"): klaude,
    ("klaude", "simple"): klaude,
    ("unified", "respond"): unified,
    ("takumi", "hook"): takumi,
    ("agent-v2", "service"): service,
    ("agent-v2", "middleware"): service,
    ("opencode", "output"): opencode,
    ("opencode", "define"): opencode,
}


def table():
    return [*own(), *vectors()]
