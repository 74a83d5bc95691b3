"""A small MCP server on stdin and stdout, with a tool for each form of a result.

`numbers` returns far more than the limit, `some` a little more. SHAPES has the results of the other tools.
"""

import base64
import json
import os
import struct
import subprocess
import sys
import zlib


def picture():
    """Returns a PNG of four by four pixels, because a host may refuse an invalid picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\xff\x80\0" * 4 for _ in range(4))
    whole = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows))
    return base64.b64encode(whole + chunk(b"IEND", b"")).decode()


def text(words):
    return {"type": "text", "text": words}


def embedded(words):
    return {"type": "resource", "resource": {"uri": "file:///notes.txt", "mimeType": "text/plain", "text": words}}


def lines(word, count):
    return "\n".join(f"{word} {n} of {count}" for n in range(1, count + 1))


IMAGE = {"type": "image", "data": picture(), "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "file:///notes.txt", "name": "notes", "mimeType": "text/plain"}
ROWS = [{"row": n, "name": f"name {n}"} for n in range(1, 1501)]
# The result of each tool. Results with `long` in the name exceed every limit.
SHAPES = {
    "short_text": {"content": [text("a short text, with é and 汉字")]},
    "short_blocks": {"content": [text("first block"), text("second block\n"), text("")]},
    "short_picture": {"content": [text("a picture follows"), IMAGE]},
    "short_resource": {"content": [embedded("the text of a resource")]},
    "short_link": {"content": [LINK]},
    "short_structured": {"content": [text('{"rows": 3}')], "structuredContent": {"rows": 3}},
    "short_error": {"content": [text("the table is locked")], "isError": True},
    "short_nothing": {"content": []},
    "long_blocks": {"content": [text(lines("first", 2000)), text(lines("second", 2000))]},
    "long_picture": {"content": [text(lines("caption", 2000)), IMAGE]},
    "long_resource": {"content": [embedded(lines("note", 2000))]},
    "long_structured": {"content": [text(json.dumps({"rows": ROWS}))], "structuredContent": {"rows": ROWS}},
    "long_error": {"content": [text(lines("failure", 2000))], "isError": True},
}
NAMES = ["numbers", "some", *SHAPES, "progress", "refused", "ends"]
TOOLS = [{"name": name, "description": "Numbers.", "inputSchema": {"type": "object", "properties": {}}} for name in NAMES]


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def numbers(count):
    found = [str(n) for n in range(1, count + 1)]
    # A server must get the whole output of its own commands.
    own = subprocess.run(["bash", "-c", "seq 1 20000"], stdin=subprocess.DEVNULL, capture_output=True)
    found[count // 2] = f"error: the disk is full, {len(own.stdout)} bytes"
    return {"content": [text("\n".join(found))]}


def call(params):
    name = params["name"]
    if name in SHAPES:
        return SHAPES[name]
    if name == "progress":
        token = (params.get("_meta") or {}).get("progressToken")
        for step in range(3):
            if token is not None:
                send({"method": "notifications/progress", "params": {"progressToken": token, "progress": step + 1, "total": 3}})
            send({"method": "notifications/message", "params": {"level": "info", "data": f"step {step}"}})
        return {"content": [text("all three steps are done")]}
    if name == "ends":
        os._exit(3)
    return numbers(30_000 if name == "numbers" else 3_000)


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2025-06-18"), "capabilities": {"tools": {}, "logging": {}},
                "serverInfo": {"name": "test", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return None if params["name"] == "refused" else call(params)
    return {} if method in ("ping", "logging/setLevel") else None


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            result = answer(message["method"], message.get("params") or {})
            # Clients on newer protocol versions first send requests that this server does not know.
            unknown = {"error": {"code": -32601, "message": "Method not found"}}
            send({"id": message["id"], **(unknown if result is None else {"result": result})})


# scenarios.py imports SHAPES from this file, so the server must not start on import.
if __name__ == "__main__":
    main()
