"""The MCP SDK: shortens the results of the tools of a server.

    @server.tool()
    @shortened(Overspill())
    def read_log(path: str) -> str: ...
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, Optional, TypeVar, cast

from overspill import Overspill

F = TypeVar("F", bound=Callable[..., Any])


def shortened(
    overspill: Optional[Overspill] = None, *, tool: Optional[str] = None, **call: Any
) -> Callable[[F], F]:
    """Shortens a tool's text, content parts or `CallToolResult`. Put this decorator below `@server.tool()`.

    Data of another kind passes unchanged, because the server checks it against the tool's output schema.
    """
    engine = overspill or Overspill()

    def decorate(function: F) -> F:
        about: Dict[str, Any] = {"tool": tool or getattr(function, "__name__", None), **call}
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def in_a_task(*args: Any, **kwargs: Any) -> Any:
                result = await function(*args, **kwargs)
                content = await engine.aapply(_content(result), **about)
                return _with(result, content)

            return cast(F, in_a_task)

        @functools.wraps(function)
        def at_once(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            return _with(result, engine.apply(_content(result), **about))

        return cast(F, at_once)

    return decorate


def _content(result: Any) -> Any:
    if hasattr(result, "model_copy") and isinstance(getattr(result, "content", None), list):
        return result.content
    if getattr(result, "type", None) == "text":
        return [result]
    return result if isinstance(result, (str, list, tuple)) else None


def _with(result: Any, content: Any) -> Any:
    if content is None:
        return result
    if hasattr(result, "model_copy") and isinstance(getattr(result, "content", None), list):
        return result.model_copy(update={"content": content})
    if getattr(result, "type", None) == "text":
        return content[0]
    return content
