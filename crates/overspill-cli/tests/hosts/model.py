"""A stand-in for the model of a host agent, on the loopback.

It speaks the four wire formats that hosts use. Each request that offers tools is answered with the next
scripted tool call; what came back from the calls before is recorded as the model would have got it.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    """Plays `steps`: each is ("shell", command), ("mcp", tool), ("tool", (name, arguments)), or a function of
    the results so far that returns one."""

    def __init__(self, steps):
        self.steps = steps
        self.results = []
        self.offered = set()
        self.unknown = []
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle(self):
                # A host that is ended leaves its connections as they are.
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
        """Returns the kind of an answer and the answer."""
        path = path.split("?")[0]
        for end, speak in FORMATS.items():
            if path.endswith(end):
                return speak(self, request)
        self.unknown.append(path)
        return None, "{}"

    def next(self, tools, results):
        """Returns the call that is due, as a name and arguments, or nothing at the end.

        `tools` has the parameters of each tool by its name.
        """
        with self.lock:
            if not tools:
                return None
            self.offered |= set(tools)
            if len(results) > len(self.results):
                self.results = results
            if len(results) >= len(self.steps):
                return None
            step = self.steps[len(results)]
            kind, what = step(results) if callable(step) else step
        if kind == "tool":
            return what
        if kind == "mcp":
            # A host may offer such tools only to those who ask for them; by their names they are there.
            return next((name for name in tools if name.endswith(what)), f"mcp__test__{what}"), {}
        for name in SHELLS:
            if name in tools:
                return name, shell_arguments(name, tools[name], what)
        raise SystemExit(f"no shell among the tools {sorted(tools)}")


# What hosts call their shell.
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
    """Server-sent events, each with its name if it has one."""
    lines = []
    for name, data in items:
        lines.append((f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n")
    return "".join(lines)


def text_of(content):
    """Returns the text of a result, whatever it is wrapped in."""
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


def anthropic(model, request):
    tools = {tool["name"]: tool.get("input_schema", {}) for tool in request.get("tools") or []}
    results = []
    for message in request.get("messages", []):
        if message["role"] == "user" and isinstance(message["content"], list):
            results += [part for part in message["content"] if part["type"] == "tool_result"]
    call = model.next(tools, [text_of(part.get("content", "")) for part in results])
    message = {"id": "m", "type": "message", "role": "assistant", "model": request.get("model", "m"), "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    reason = "tool_use" if call else "end_turn"
    if not request.get("stream"):
        whole = dict(block, input=call[1]) if call else {"type": "text", "text": "done"}
        return "application/json", json.dumps(dict(message, content=[whole], stop_reason=reason))
    return "text/event-stream", events((event["type"], event) for event in [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ])


def responses(model, request):
    tools, spaces = {}, {}
    for tool in request.get("tools") or []:
        if tool.get("type") == "namespace":
            for inner in tool.get("tools", []):
                tools[inner["name"]] = inner.get("parameters", {})
                spaces[inner["name"]] = tool["name"]
        elif "name" in tool:
            tools[tool["name"]] = tool.get("parameters", {})
    results = [item for item in request.get("input", []) if item.get("type") == "function_call_output"]
    call = model.next(tools, [text_of(item.get("output", "")) for item in results])
    if call:
        item = {"type": "function_call", "id": f"fc_{len(results)}", "call_id": f"call_{len(results)}",
                "name": call[0], "arguments": json.dumps(call[1])}
        if call[0] in spaces:
            item["namespace"] = spaces[call[0]]
    else:
        item = {"type": "message", "id": "msg", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return "text/event-stream", events((event["type"], event) for event in [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "usage": usage}},
    ])


def gemini(model, request):
    declared = [one for tool in request.get("tools") or [] for one in tool.get("functionDeclarations", [])]
    tools = {one["name"]: one.get("parametersJsonSchema") or one.get("parameters") or {} for one in declared}
    parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
    results = [part["functionResponse"] for part in parts if "functionResponse" in part]
    call = model.next(tools, [text_of(result.get("response", "")) for result in results])
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
    return "text/event-stream", events([(None, {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    })])


def plain_gemini(model, _):
    content = {"role": "model", "parts": [{"text": "{}"}]}
    return "application/json", json.dumps({"candidates": [{"content": content, "finishReason": "STOP"}]})


def completions(model, request):
    tools = {tool["function"]["name"]: tool["function"].get("parameters", {}) for tool in request.get("tools") or []}
    results = [message for message in request.get("messages", []) if message["role"] == "tool"]
    call = model.next(tools, [text_of(message.get("content", "")) for message in results])
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        delta = {"role": "assistant", "content": None,
                 "tool_calls": [{"index": 0, "id": f"call_{len(results)}", "type": "function", "function": function}]}
    else:
        delta = {"role": "assistant", "content": "done"}
    reason = "tool_calls" if call else "stop"
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
