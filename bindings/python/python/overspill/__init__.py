"""Shortens long command output for AI agents. The full output is saved and searchable.

    from overspill import Overspill

    overspill = Overspill()
    outcome = overspill.process(output, tool="make")
    print(outcome.text)  # shortened; the whole output is in outcome.path
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
from typing import Any, Callable, TypeVar, Union, cast, overload

from overspill._native import Engine, Size, Span, Spill, Spilled, Whole
from overspill._parts import pack, unpack
from overspill.errors import Misuse, NotFound, OverspillError, StoreError
from overspill.types import Entry, Event, Found, Page, Store, Strategy, Swept

Outcome = Union[Whole, Spilled]
F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "Entry",
    "Event",
    "Found",
    "Misuse",
    "NotFound",
    "Outcome",
    "Overspill",
    "OverspillError",
    "Page",
    "Size",
    "Span",
    "Spill",
    "Spilled",
    "Store",
    "StoreError",
    "Strategy",
    "Swept",
    "Whole",
]


def _json(value: Any) -> str:
    """Returns compact JSON. Values that JSON does not have, such as paths, dates and NaN, become text."""
    write = functools.partial(json.dumps, ensure_ascii=False, separators=(",", ":"), default=str)
    text = write(value)
    try:
        # Python writes NaN, which is not valid JSON: its lines would not be counted.
        return write(value, allow_nan=False) if "NaN" in text or "Infinity" in text else text
    except ValueError:
        return write(json.loads(text, parse_constant=str))


class Overspill(Engine):
    """Shortens outputs by the rules of a profile, and saves outputs that are too large.

    Create one at the start of the program and use it from any thread or task. `store` is a directory,
    `"memory"`, `False` or an object of your own. The limits, `keep` and `tools` choose the shown part.
    The README lists all options.
    """

    def apply(self, result: Any, **call: Any) -> Any:
        """Shortens any value that a tool returns.

        The value is text, bytes, a list of content parts (dicts, strings, or models with `type` and `text`),
        or a dict with the layout of the profile. Short values and values of other forms are returned unchanged.
        """
        if isinstance(result, (bytes, bytearray, memoryview)):
            outcome = self.process(result, **call)
            return outcome.text if outcome.spilled or outcome.masked else result
        if isinstance(result, (list, tuple)):
            packed = [pack(part) for part in result]
            shortened = super().apply(packed, **call)
            return result if shortened is packed else [unpack(part) for part in shortened]
        if isinstance(result, dict) and self._in_envelope:
            return self._envelope(result, call)
        return super().apply(result, **call)

    def _envelope(self, response: Any, call: dict[str, Any]) -> Any:
        """Shortens an envelope as JSON text, which is also the saved form."""
        try:
            text = _json(response)
        except (TypeError, ValueError, RecursionError):
            # The response has a key that is not text, or it contains itself.
            return super().apply(response, **call)
        shortened = super().apply(text, **call)
        return response if shortened == text else json.loads(shortened)

    async def aprocess(self, output: str | bytes, **call: Any) -> Outcome:
        """Like `process`, but other tasks run while the output is saved."""
        fits = self.process_if_whole(output, **call)
        if fits is not None:
            return fits
        return await asyncio.to_thread(self.process, output, **call)

    async def aapply(self, result: Any, **call: Any) -> Any:
        """Like `apply`, but other tasks run while the output is saved."""
        return await asyncio.to_thread(self.apply, result, **call)

    @overload
    def wrap(self, function: F) -> F: ...

    @overload
    def wrap(self, *, tool: str | None = None, **call: Any) -> Callable[[F], F]: ...

    def wrap(self, function: F | None = None, **call: Any) -> F | Callable[[F], F]:
        """Wraps a tool, sync or async, so that `apply` shortens its results.

        Use `@overspill.wrap`, or with options `@overspill.wrap(tool="bash", keep="tail")`. Exceptions of
        the tool pass unchanged.
        """
        if function is None:
            return functools.partial(self._wrapped, call)
        return self._wrapped(call, function)

    def _wrapped(self, call: dict[str, Any], function: F) -> F:
        call = {"tool": getattr(function, "__name__", None), **call}
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def in_a_task(*args: Any, **kwargs: Any) -> Any:
                return await self.aapply(await function(*args, **kwargs), **call)

            return cast(F, in_a_task)

        @functools.wraps(function)
        def at_once(*args: Any, **kwargs: Any) -> Any:
            return self.apply(function(*args, **kwargs), **call)

        return cast(F, at_once)
