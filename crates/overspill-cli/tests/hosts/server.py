"""A small MCP server on standard input and output: `numbers` returns far too much, `some` a little too much."""

import json
import subprocess
import sys

TOOLS = [{"name": name, "description": "Numbers.", "inputSchema": {"type": "object", "properties": {}}}
         for name in ("numbers", "some")]


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2025-06-18"), "capabilities": {"tools": {}},
                "serverInfo": {"name": "test", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        count = 30_000 if params["name"] == "numbers" else 3_000
        lines = [str(n) for n in range(1, count + 1)]
        # What a server runs by itself is its own: it must get all of it.
        own = subprocess.run(["bash", "-c", "seq 1 20000"], stdin=subprocess.DEVNULL, capture_output=True)
        lines[count // 2] = f"error: the disk is full, {len(own.stdout)} bytes"
        return {"content": [{"type": "text", "text": "\n".join(lines)}]}
    return {} if method == "ping" else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        # A client of a newer revision first asks for what this server does not know.
        unknown = {"error": {"code": -32601, "message": "Method not found"}}
        said = unknown if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
