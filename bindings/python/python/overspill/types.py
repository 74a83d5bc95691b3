"""The types of answers, and the protocols for stores and strategies of your own."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Protocol, Sequence, Tuple, TypedDict, Union


class Event(TypedDict):
    """The event that `on_event` gets, once for each call."""

    type: str
    """`skipped`, `spilled` or `failed`."""
    tool: Optional[str]
    call_id: Optional[str]
    session: Optional[str]
    original_bytes: int
    shown_bytes: int
    path: Optional[str]
    error: Optional[str]


class NotSearched(TypedDict):
    """Lines of an output that were not saved, and so not searched."""

    lines: List[int]
    bytes: int


class _Page(TypedDict):
    text: str
    what: str
    """A sentence that names the part of the output, with warnings."""
    next: Optional[Dict[str, Any]]
    """Options of `read` for the next page."""


class Page(_Page, total=False):
    """A part of a saved output, up to the limits. Values at a JSON path have the last four fields."""

    bytes: List[int]
    lines: Optional[List[int]]
    total: int
    values: int
    """The number of shown values."""
    more: bool
    not_json: str
    """The place where the output is not JSON. The values after it are missing."""
    not_kept: NotSearched
    """Lines that were not saved (`store.max_output`), and so not read."""


class _FoundLine(TypedDict):
    number: int
    matches: bool
    text: str


class FoundLine(_FoundLine, total=False):
    """A line that matches, or a line of context."""

    again: List[int]
    """The bytes of another match in the same line, which are not shown."""


class _Found(TypedDict):
    text: str
    what: str
    """A sentence about the next page and the lines that were not searched. Empty if all matches are shown."""
    lines: List[FoundLine]
    matches: int
    next_line: Optional[int]
    next: Optional[Dict[str, Any]]
    """Options of `grep` for the next page."""


class Found(_Found, total=False):
    """The result of a search, in the format of ripgrep and line by line."""

    not_searched: NotSearched


class Entry(TypedDict):
    """A saved output."""

    id: str
    bytes: int
    lines: Optional[int]
    used: float
    pinned: bool
    tool: Optional[str]
    call_id: Optional[str]
    session: Optional[str]
    command: Optional[str]
    exit_code: Optional[int]


class Swept(TypedDict):
    """The result of a sweep."""

    removed: int
    bytes: int
    kept: int
    failed: int


class Store(Protocol):
    """Saves outputs. Only `save` is required. Without the other methods, outputs cannot be read or swept.

    The other methods are `read(id, start, end)`, `info(id)`, which returns `{"bytes": …, "used": seconds}` or
    None, `list()`, which returns such dicts with an `id`, and `delete(id)`. The message of an exception becomes
    the reason why the output was not saved.
    """

    def save(self, data: bytes, call: Dict[str, Optional[str]]) -> Union[str, Mapping[str, str]]:
        """Saves an output. Returns its path or address, or `{"id": …, "path": …}`."""
        ...


Choice = Union[None, bool, str, Sequence[Tuple[int, int]], Mapping[str, Any]]
"""The answer of a strategy. None leaves the choice to the settings, and True shows the whole output. A text
replaces the shown parts. A list has the shown parts as `(start, end)` in bytes. `{"text": …, "left_out_lines": …}` is a text
with the amount that it leaves out."""


class Strategy(Protocol):
    """Chooses the parts of an output to show."""

    def __call__(self, output: bytes, limits: Dict[str, Any]) -> Choice:
        """`limits` has `max_lines`, `max_bytes`, `max_chars`, `max_tokens` and `keep`."""
        ...
