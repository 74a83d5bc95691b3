"""Calls objects and functions of the user with a timeout."""

from __future__ import annotations

import contextvars
import functools
import queue
import threading
from typing import Any, Callable


def within(seconds: float, ask: Callable[..., Any], *args: Any) -> Any:
    """Returns the answer of `ask`, which runs in a thread of its own.

    Raises `TimeoutError` if no answer comes in time. Python cannot stop the thread, so the thread goes on.
    """
    context = contextvars.copy_context()
    answers: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put((context.run(ask, *args), None))
        except BaseException as error:
            answers.put((None, error))

    threading.Thread(target=run, name="overspill callback", daemon=True).start()
    try:
        answer, error = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:g} s (answer_timeout)") from None
    if error is not None:
        raise error
    return answer


class Patient:
    """A wrapper for a function or an object of the user. Each of its calls has a timeout."""

    def __init__(self, it: Any, seconds: float) -> None:
        self._it = it
        self._seconds = seconds

    def __call__(self, *args: Any) -> Any:
        return within(self._seconds, self._it, *args)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._it, name)
        return functools.partial(within, self._seconds, found) if callable(found) else found
