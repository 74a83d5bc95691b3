"""A small MCP server on standard input and output: one tool, `numbers`, whose result is too large."""

import json
import sys

TOOL = {"name": "numbers", "description": "Many numbers.", "inputSchema": {"type": "object", "properties": {}}}


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2025-06-18"), "capabilities": {"tools": {}},
                "serverInfo": {"name": "test", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        lines = [str(n) for n in range(1, 30_001)]
        lines[15_000] = "error: the disk is full"
        return {"content": [{"type": "text", "text": "\n".join(lines)}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
