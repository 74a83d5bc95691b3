"""mini-swe-agent: shortens the output of commands, in any of its environments.

    agent = DefaultAgent(model, OverspillEnvironment(), **config)

Or in the configuration file, also for the command `mini`:

    environment:
      environment_class: overspill.adapters.mini_swe_agent.OverspillEnvironment
      runs_in: docker
      image: python:3.12
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

from minisweagent.environments import get_environment_class

from overspill import Overspill

# The templates of mini-swe-agent cut an output of 10,000 characters.
MOST_CHARS = 9_500


class OverspillEnvironment:
    """Runs commands in another environment (`runs_in`), and shortens their output.

    `overspill` is an `Overspill` or its options. The other arguments are those of the other environment.
    """

    def __init__(
        self,
        *,
        runs_in: str = "local",
        overspill: Union[Overspill, Dict[str, Any], None] = None,
        **options: Any,
    ) -> None:
        self.environment: Any = get_environment_class(runs_in)(**options)
        if not isinstance(overspill, Overspill):
            overspill = Overspill(**{"max_chars": MOST_CHARS, **(overspill or {})})
        self.overspill = overspill

    def execute(self, action: Dict[str, Any], cwd: str = "", **options: Any) -> Dict[str, Any]:
        # The final output is raised as an exception, and stays whole.
        result: Dict[str, Any] = self.environment.execute(action, cwd, **options)
        outcome = self.overspill.process(
            result["output"],
            tool="bash",
            command=action.get("command"),
            call_id=_call_id(action),
            exit_code=_exit_code(result),
        )
        return {**result, "output": outcome.text}

    def __getattr__(self, name: str) -> Any:
        # A copy without attributes has no environment yet.
        if name == "environment":
            raise AttributeError(name)
        return getattr(self.environment, name)


def _call_id(action: Dict[str, Any]) -> Optional[str]:
    return action.get("tool_call_id")


def _exit_code(result: Dict[str, Any]) -> Optional[int]:
    # -1 stands for a command that was stopped.
    code = result.get("returncode")
    return code if isinstance(code, int) and code >= 0 else None
