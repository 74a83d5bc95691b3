"""A scripted model for host agents: an HTTP server on loopback.

It speaks the four wire formats that hosts use. It answers each request that offers tools with the next scripted tool
calls, and records the results of the earlier calls as the host sent them.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Script:
    """The turns of one conversation: of the host, or of a sub-agent that the host starts.

    Each step is ("shell", command), ("mcp", tool), ("tool", (name, arguments)), a list of these for one turn, or
    a function of the results so far that returns one of them. A last step ("say", text) ends the conversation.
    """

    def __init__(self, name, steps):
        self.name, self.steps = name, steps
        # The calls (name and arguments), the texts of their results, and the results as the host sent them.
        self.calls, self.results, self.sent = [], [], []

    def due(self, results):
        """Returns the calls of the next turn, or a text that ends the conversation."""
        done = 0
        for step in self.steps:
            if done == len(results):
                turn = step(results) if callable(step) else step
                return turn[1] if turn[0] == "say" else turn if isinstance(turn, list) else [turn]
            done += len(step) if isinstance(step, list) else 1
        return "done"


class Model:
    """A model that plays `steps`. A conversation that begins with "play NAME" gets the steps of `agents[NAME]`."""

    def __init__(self, steps, agents=None):
        self.main = Script("", steps)
        self.agents = {name: Script(name, steps) for name, steps in (agents or {}).items()}
        self.offered = set()
        self.unknown = []
        # The errors of steps that could not choose the next call.
        self.broken = []
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle(self):
                # A host that was killed breaks its connections off.
                try:
                    super().handle()
                except ConnectionError:
                    pass

            def do_GET(self):
                self.answer(200, "application/json", b'{"data":[],"models":[]}')

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                kind, text = model.respond(self.path, json.loads(body or b"{}"))
                self.answer(200 if kind else 404, kind or "application/json", text.encode())

            def answer(self, code, kind, body):
                self.send_response(code)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def respond(self, path, request):
        """Returns the content type and the body of an answer."""
        path = path.split("?")[0]
        for end, speak in FORMATS.items():
            if path.endswith(end):
                return speak(self, request)
        self.unknown.append(path)
        return None, "{}"

    @property
    def results(self):
        return self.main.results

    def script(self, opening):
        """Returns the script of a conversation that begins with this text of the user."""
        part = re.search(r"\bplay (\w+)", opening)
        return self.agents.get(part.group(1), self.main) if part else self.main

    def next(self, tools, results, opening=""):
        """Returns the next calls, each as an id, a name and arguments, or a text that ends the conversation.

        `tools` has the parameters of each tool by its name. Each result is an id, its text, and the result as the host
        sent it.
        """
        with self.lock:
            if not tools:
                return "done"
            self.offered |= set(tools)
            script = self.script(opening)
            # Calls of one turn may end in any order. A host that sends no ids keeps the order.
            results = sorted(results, key=lambda result: int(re.search(r"(\d*)$", str(result[0])).group(1) or 0))
            texts = [text for _, text, _ in results]
            # A host may shorten old results in a long conversation.
            new = results[len(script.results):]
            script.results += [text for _, text, _ in new]
            script.sent += [sent for _, _, sent in new]
            try:
                calls = script.due(texts)
            except Exception as reason:
                # Without an answer, the host would send the request again and again.
                self.broken.append(f"no call after {texts[-1:]!r}: {reason!r}")
                calls = "done"
        if isinstance(calls, str):
            return calls
        named = [named_call(tools, *call) for call in calls]
        script.calls[len(texts):] = named
        return [(f"call_{script.name}_{len(texts) + place}", *call) for place, call in enumerate(named)]


def named_call(tools, kind, what):
    """Returns the name and the arguments of a call, with the tool names of this host."""
    if kind == "tool":
        return what
    if kind == "mcp":
        tool, given = what if isinstance(what, tuple) else (what, {})
        # Some hosts do not list MCP tools until the model searches for them. A call by name works anyway.
        return next((name for name in tools if name.endswith(tool)), f"mcp__test__{tool}"), given
    for name in SHELLS:
        if name in tools:
            return name, shell_arguments(name, tools[name], what)
    raise SystemExit(f"no shell among the tools {sorted(tools)}")


# The names that hosts give their shell tool.
SHELLS = ["Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "run_commands"]


def shell_arguments(name, parameters, command):
    known = parameters.get("properties", {})
    if "cmd" in known:
        return {"cmd": command}
    if "commands" in known:
        return {"commands": [command]}
    if known.get("command", {}).get("type") == "array":
        return {"command": ["bash", "-lc", command]}
    fill = {"description": "a step", "is_background": False}
    more = {key: value for key, value in fill.items() if key in known}
    return {"command": command, **more}


def events(items):
    """Returns server-sent events. The name of an event is optional."""
    lines = []
    for name, data in items:
        lines.append((f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n")
    return "".join(lines)


def text_of(content):
    """Returns the text of a result in any of the forms that hosts use."""
    if isinstance(content, str):
        # Cline and Continue show lists as JSON.
        is_list = content.startswith(('[{"query":', '[{"type":"text"'))
        return text_of(json.loads(content)) if is_list else content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        for key in ("text", "output", "content", "result", "error"):
            if key in content:
                return text_of(content[key])
    return json.dumps(content)


def opening_of(messages):
    """Returns the text of the user before the first answer of the model."""
    texts = []
    for message in messages:
        if message.get("role", "user") in ("assistant", "model"):
            break
        texts += [text_of(message.get(key)) for key in ("content", "parts") if message.get(key)]
    return "\n".join(texts)


def anthropic(model, request):
    tools = {tool["name"]: tool.get("input_schema", {}) for tool in request.get("tools") or []}
    messages = request.get("messages", [])
    parts = [part for message in messages if message["role"] == "user" and isinstance(message["content"], list)
             for part in message["content"] if part["type"] == "tool_result"]
    results = [(part["tool_use_id"], text_of(part.get("content", "")), part) for part in parts]
    calls = model.next(tools, results, opening_of(messages))
    message = {"id": "m", "type": "message", "role": "assistant", "model": request.get("model", "m"), "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    if isinstance(calls, str):
        reason, whole = "end_turn", [{"type": "text", "text": calls}]
    else:
        reason, whole = "tool_use", [{"type": "tool_use", "id": f"toolu_{ident}", "name": name, "input": given} for ident, name, given in calls]
    if not request.get("stream"):
        return "application/json", json.dumps(dict(message, content=whole, stop_reason=reason))
    parts = [{"type": "message_start", "message": message}]
    for index, block in enumerate(whole):
        if block["type"] == "text":
            begun, delta = dict(block, text=""), {"type": "text_delta", "text": block["text"]}
        else:
            begun, delta = dict(block, input={}), {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        parts += [{"type": "content_block_start", "index": index, "content_block": begun},
                  {"type": "content_block_delta", "index": index, "delta": delta},
                  {"type": "content_block_stop", "index": index}]
    parts += [
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return "text/event-stream", events((part["type"], part) for part in parts)


def responses(model, request):
    tools, spaces = {}, {}
    for tool in request.get("tools") or []:
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", []):
                tools[inner["name"]] = inner.get("parameters", {})
                spaces[inner["name"]] = tool["name"]
        elif "name" in tool:
            tools[tool["name"]] = tool.get("parameters", {})
    said = request.get("input", [])
    outputs = [item for item in said if item.get("type") == "function_call_output"]
    results = [(item["call_id"], text_of(item.get("output", "")), item.get("output")) for item in outputs]
    calls = model.next(tools, results, opening_of(said))
    if isinstance(calls, str):
        items = [{"type": "message", "id": "msg", "role": "assistant", "content": [{"type": "output_text", "text": calls}]}]
    else:
        items = [{"type": "function_call", "id": f"fc_{ident}", "call_id": ident, "name": name, "arguments": json.dumps(given),
                  **({"namespace": spaces[name]} if name in spaces else {})} for ident, name, given in calls]
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    parts = [{"type": "response.created", "response": {"id": "r"}}]
    parts += [{"type": "response.output_item.done", "output_index": index, "item": item} for index, item in enumerate(items)]
    parts += [{"type": "response.completed", "response": {"id": "r", "usage": usage}}]
    return "text/event-stream", events((part["type"], part) for part in parts)


def gemini(model, request):
    declared = [one for tool in request.get("tools") or [] for one in tool.get("functionDeclarations", [])]
    tools = {one["name"]: one.get("parametersJsonSchema") or one.get("parameters") or {} for one in declared}
    results = []
    for part in [part for content in request.get("contents", []) for part in content.get("parts", [])]:
        if "functionResponse" in part:
            given = part["functionResponse"]
            results.append((given.get("id", ""), text_of(given.get("response", "")), [part]))
        elif results and "functionCall" not in part:
            # A picture comes directly after its result.
            results[-1][2].append(part)
    calls = model.next(tools, results, opening_of(request.get("contents", [])))
    if isinstance(calls, str):
        parts = [{"text": calls}]
    else:
        parts = [{"functionCall": {"id": ident, "name": name, "args": given}} for ident, name, given in calls]
    return "text/event-stream", events([(None, {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    })])


def plain_gemini(model, _):
    content = {"role": "model", "parts": [{"text": "{}"}]}
    return "application/json", json.dumps({"candidates": [{"content": content, "finishReason": "STOP"}]})


def completions(model, request):
    tools = {tool["function"]["name"]: tool["function"].get("parameters", {}) for tool in request.get("tools") or []}
    results = []
    for message in request.get("messages", []):
        if message["role"] == "tool":
            results.append((message["tool_call_id"], text_of(message.get("content", "")), [message.get("content")]))
        elif message["role"] == "user" and results:
            # A picture comes after its result, in a separate message.
            results[-1][2].append(message.get("content"))
    calls = model.next(tools, results, opening_of(request.get("messages", [])))
    if isinstance(calls, str):
        reason, delta = "stop", {"role": "assistant", "content": calls}
    else:
        functions = [{"index": index, "id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                     for index, (ident, name, given) in enumerate(calls)]
        reason, delta = "tool_calls", {"role": "assistant", "content": None, "tool_calls": functions}
    base = {"id": "c", "created": 1, "model": request.get("model", "m")}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not request.get("stream"):
        choice = {"index": 0, "message": delta, "finish_reason": reason}
        return "application/json", json.dumps(dict(base, object="chat.completion", choices=[choice], usage=usage))
    chunk = dict(base, object="chat.completion.chunk")
    text = events([
        (None, dict(chunk, choices=[{"index": 0, "delta": delta, "finish_reason": None}])),
        (None, dict(chunk, choices=[{"index": 0, "delta": {}, "finish_reason": reason}], usage=usage)),
    ])
    return "text/event-stream", text + "data: [DONE]\n\n"


FORMATS = {
    "/v1/messages": anthropic,
    "/responses": responses,
    ":streamGenerateContent": gemini,
    ":generateContent": plain_gemini,
    "/chat/completions": completions,
}
