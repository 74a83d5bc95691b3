"""LangChain: shortens the results of the tools of an agent.

    agent = create_agent(model, tools, middleware=[OverspillMiddleware(Overspill())])
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, Optional, Union

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command

from overspill import Overspill

Answer = Union[ToolMessage, "Command[Any]"]


class OverspillMiddleware(AgentMiddleware):
    """Shortens every `ToolMessage`, also those inside a `Command`."""

    def __init__(self, overspill: Optional[Overspill] = None) -> None:
        super().__init__()
        self.overspill = overspill or Overspill()

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]
    ) -> Answer:
        answer = handler(request)
        shortened = {id(one): self._shortened(one, request) for one in _messages(answer)}
        return _with(answer, shortened)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        answer = await handler(request)
        shortened = {}
        for one in _messages(answer):
            content = await self.overspill.aapply(one.content, **_call(request))
            shortened[id(one)] = one.model_copy(update={"content": content})
        return _with(answer, shortened)

    def _shortened(self, message: ToolMessage, request: ToolCallRequest) -> ToolMessage:
        content = self.overspill.apply(message.content, **_call(request))
        return message.model_copy(update={"content": content})


def _call(request: ToolCallRequest) -> Dict[str, Any]:
    return {"tool": request.tool_call["name"], "call_id": request.tool_call["id"]}


def _messages(answer: Answer) -> list[ToolMessage]:
    if isinstance(answer, ToolMessage):
        return [answer]
    update = answer.update if isinstance(answer, Command) else None
    messages = update.get("messages", []) if isinstance(update, dict) else []
    return [one for one in messages if isinstance(one, ToolMessage)]


def _with(answer: Answer, shortened: Dict[int, ToolMessage]) -> Answer:
    if isinstance(answer, ToolMessage):
        return shortened[id(answer)]
    if shortened and isinstance(answer.update, dict):
        for_each = [shortened.get(id(one), one) for one in answer.update["messages"]]
        return Command(
            graph=answer.graph,
            update={**answer.update, "messages": for_each},
            resume=answer.resume,
            goto=answer.goto,
        )
    return answer
