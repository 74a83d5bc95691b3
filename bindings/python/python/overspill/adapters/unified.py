"""A drop-in replacement for a truncator of tool responses: `status`, `data`, `text`, `stats`, `context`, `error`.

    response = truncate_observation("Read", response)

A response is a dict or JSON text, and comes back as the same kind. A short one is unchanged. A long one has a preview in `data`, and
the whole response is in `tool-output/`. Five variables of the environment change that: `TOOL_OUTPUT_MAX_LINES`,
`TOOL_OUTPUT_MAX_BYTES`, `TOOL_OUTPUT_TRUNCATE_DIRECTION`, `TOOL_OUTPUT_DIR` and `TOOL_OUTPUT_RETENTION_DAYS`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Optional, TypeVar, Union, cast

from overspill import Overspill

Response = TypeVar("Response", str, Dict[str, Any])

VARIABLES = (
    "TOOL_OUTPUT_MAX_LINES",
    "TOOL_OUTPUT_MAX_BYTES",
    "TOOL_OUTPUT_TRUNCATE_DIRECTION",
    "TOOL_OUTPUT_DIR",
    "TOOL_OUTPUT_RETENTION_DAYS",
)


class ObservationTruncator:
    """Shortens responses of tools. `options` are those of `Overspill`, and override the variables."""

    def __init__(self, project_root: Union[str, Path, None] = None, **options: Any) -> None:
        self._options = {"profile": "unified", **options}
        if project_root is not None:
            self._options["project_root"] = os.fspath(project_root)
        self._made: Optional[tuple[tuple[Optional[str], ...], Overspill]] = None
        # Invalid options raise here, and not with the first response.
        self._engine()

    def _engine(self) -> Overspill:
        """Returns the engine, and creates a new one if a variable was changed."""
        variables = tuple(map(os.environ.get, VARIABLES))
        if self._made is None or self._made[0] != variables:
            self._made = (variables, Overspill(**self._options))
        return self._made[1]

    def truncate(self, tool_name: str, response: Response, has_task_tool: bool = False) -> Response:
        """Shortens a response. With `has_task_tool` the hint names the Task tool."""
        engine, call = self._engine(), {"tool": tool_name, "delegate": has_task_tool}
        if isinstance(response, (list, tuple)):
            # A list is not a list of content parts here: it is a response without an envelope.
            return cast(Response, engine._envelope(response, call))
        return cast(Response, engine.apply(response, **call))

    def cleanup(self) -> int:
        """Removes expired files, and returns their number. Shortening does so too, at most once an hour."""
        return self._engine().sweep()["removed"]


_current: Optional[ObservationTruncator] = None


def get_truncator(project_root: Union[str, Path, None] = None) -> ObservationTruncator:
    """Returns the truncator of a project, or the last one if no project is given."""
    global _current
    if _current is None or project_root is not None:
        _current = ObservationTruncator(project_root)
    return _current


def truncate_observation(
    tool_name: str,
    response: Response,
    project_root: Union[str, Path, None] = None,
    has_task_tool: bool = False,
) -> Response:
    """Shortens a response of a tool."""
    return get_truncator(project_root).truncate(tool_name, response, has_task_tool)
