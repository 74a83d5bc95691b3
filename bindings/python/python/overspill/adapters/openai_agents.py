"""OpenAI Agents SDK: shortens the results of the function tools of an agent.

    agent = Agent(name="…", tools=shortened(Overspill(), [list_files, run_tests]))
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, List

from agents import FunctionTool, Tool
from agents.tool_context import ToolContext

from overspill import Overspill


def shortened(overspill: Overspill, tools: Iterable[Tool]) -> List[Tool]:
    """Returns the tools with shortened results. Tools that run elsewhere stay unchanged."""
    return [_shortened(overspill, tool) for tool in tools]


def _shortened(overspill: Overspill, tool: Tool) -> Tool:
    if not isinstance(tool, FunctionTool):
        return tool
    invoke = tool.on_invoke_tool

    async def on_invoke_tool(context: ToolContext[Any], arguments: str) -> Any:
        result = await invoke(context, arguments)
        call = {"tool": tool.name, "call_id": getattr(context, "tool_call_id", None)}
        if _is_part(result):
            return (await overspill.aapply([result], **call))[0]
        if isinstance(result, (str, list)):
            return await overspill.aapply(result, **call)
        # The SDK converts other values into text.
        outcome = await overspill.aprocess(str(result), **call)
        return outcome.text if outcome.spilled else result

    return dataclasses.replace(tool, on_invoke_tool=on_invoke_tool)


def _is_part(result: Any) -> bool:
    kind = result.get("type") if isinstance(result, dict) else getattr(result, "type", None)
    return isinstance(kind, str)
