"""Runs the official Python client, through the proxy, against the official reference server.

Arguments: the way to the server (`stdio COMMAND…` or `http URL TOKEN`). Prints nothing on success.
"""

import contextlib
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


@contextlib.asynccontextmanager
async def connected():
    how, *words = sys.argv[1:]
    if how == "stdio":
        client = stdio_client(StdioServerParameters(command=words[0], args=words[1:]))
    else:
        from mcp.client.streamable_http import streamable_http_client

        from httpx2 import AsyncClient

        headers = {"Authorization": f"Bearer {words[1]}"}
        client = streamable_http_client(words[0], http_client=AsyncClient(headers=headers, timeout=60))
    async with client as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session


def texts(result):
    return "".join(part.text for part in result.content if part.type == "text")


async def main():
    async with connected() as session:
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert "echo" in names and "overspill_read" in names and "overspill_grep" in names, names

        small = await session.call_tool("echo", {"message": "hello"})
        assert texts(small) == "Echo: hello", small

        long = "\n".join(f"line {n} of what is echoed" for n in range(5000))
        large = await session.call_tool("echo", {"message": long})
        shown = texts(large)
        assert len(shown) <= 9500 and shown.startswith("[overspill "), shown[:200]
        saved = shown.split('{"id":"')[1].split('"')[0]
        page = await session.call_tool("overspill_read", {"id": saved, "lines": "4001:4002"})
        assert texts(page).startswith("line 4000 of what is echoed\nline 4001"), page
        found = await session.call_tool("overspill_grep", {"id": saved, "pattern": "line 1234 "})
        assert texts(found) == "1235:line 1234 of what is echoed\n", found

        image = await session.call_tool("get-tiny-image", {})
        assert any(part.type == "image" for part in image.content), image

        structured = await session.call_tool("get-structured-content", {"location": "New York"})
        assert structured.structured_content, structured

        links = await session.call_tool("get-resource-links", {"count": 3})
        assert sum(part.type == "resource_link" for part in links.content) == 3, links
        embedded = await session.call_tool(
            "get-resource-reference", {"resourceType": "Text", "resourceId": 1}
        )
        assert any(part.type == "resource" for part in embedded.content), embedded

        resources = (await session.list_resources()).resources
        contents = (await session.read_resource(resources[0].uri)).contents
        assert contents[0].text, contents

        steps = []

        async def progress(done, total, message):
            steps.append(done)

        await session.call_tool(
            "trigger-long-running-operation", {"duration": 1, "steps": 4}, progress_callback=progress
        )
        assert len(steps) >= 3, steps

        with anyio.move_on_after(0.5) as scope:
            await session.call_tool("trigger-long-running-operation", {"duration": 20, "steps": 2})
        assert scope.cancelled_caught
        again = await session.call_tool("echo", {"message": "still here"})
        assert texts(again) == "Echo: still here", again

        wrong = None
        try:
            wrong = await session.call_tool("no-such-tool", {})
        except Exception:
            pass
        assert wrong is None or wrong.is_error, wrong


anyio.run(main)
