"""deepagents: shortens the output of commands and of other tools.

    backend = OverspillShellBackend(Overspill(), root_dir=".")
    agent = create_deep_agent(model, tools, backend=backend, middleware=[backend.middleware])

The agent and all its subagents share the backend, and so the commands. Middleware is for one agent: put it
into the list of each subagent whose tools return much. With another backend, use `OverspillMiddleware` of
`overspill.adapters.langchain`, which shortens commands too.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, Awaitable, Callable, Optional

from deepagents.backends import LocalShellBackend
from deepagents.backends.protocol import ExecuteResponse
from langchain.agents.middleware.types import ToolCallRequest

from overspill import Overspill
from overspill.adapters.langchain import Answer, OverspillMiddleware

# The name of the tool that runs commands.
EXECUTE = "execute"


class OverspillShellBackend(LocalShellBackend):
    """Runs commands on this machine. It shortens their output before deepagents truncates it."""

    def __init__(self, overspill: Optional[Overspill] = None, **options: Any) -> None:
        super().__init__(**{"max_output_bytes": sys.maxsize, **options})
        self.overspill = overspill or Overspill()

    def execute(self, command: str, *, timeout: Optional[int] = None) -> ExecuteResponse:
        response = super().execute(command, timeout=timeout)
        # deepagents appends the exit code of a failed command to its output.
        end = f"\n\nExit code: {response.exit_code}"
        output = response.output
        output, end = (output[: -len(end)], end) if output.endswith(end) else (output, "")
        outcome = self.overspill.process(
            output, tool=EXECUTE, command=command, exit_code=response.exit_code
        )
        return replace(response, output=outcome.text + end)

    @property
    def middleware(self) -> OverspillMiddleware:
        """The middleware for all other tools."""
        return OtherToolsMiddleware(self.overspill)


class OtherToolsMiddleware(OverspillMiddleware):
    """Shortens results except those of commands. The backend shortens these, and deepagents adds a line to them."""

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        if request.tool_call["name"] == EXECUTE:
            return handler(request)
        return super().wrap_tool_call(request, handler)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        if request.tool_call["name"] == EXECUTE:
            return await handler(request)
        return await super().awrap_tool_call(request, handler)
