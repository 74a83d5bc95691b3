"""Pydantic AI: shortens the results of the tools of a toolset.

    agent = Agent(model, toolsets=[OverspillToolset(FunctionToolset([read_log]))])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Generic, TypeVar

from pydantic_ai import RunContext
from pydantic_ai.messages import ToolReturn
from pydantic_ai.toolsets import WrapperToolset
from pydantic_ai.toolsets.abstract import ToolsetTool

from overspill import Overspill

Deps = TypeVar("Deps")


@dataclass
class OverspillToolset(WrapperToolset[Deps], Generic[Deps]):
    """Shortens text, lists with text, and such values inside a `ToolReturn`."""

    overspill: Overspill = field(default_factory=Overspill)

    async def call_tool(
        self, name: str, tool_args: Dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        result = await super().call_tool(name, tool_args, ctx, tool)
        call = {"tool": name, "call_id": ctx.tool_call_id}
        if isinstance(result, ToolReturn):
            result.return_value = await self.overspill.aapply(result.return_value, **call)
            return result
        if isinstance(result, (str, list)):
            return await self.overspill.aapply(result, **call)
        return result
