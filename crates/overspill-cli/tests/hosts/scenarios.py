"""The scenarios that `compare.py` plays with and without overspill: the calls of the model, and a judge of each result.

All scenarios of a host run in one session, in this order. NOT_THERE lists steps that a host cannot play, with the reason.
"""

import re

from judge import has, same, shortened, unordered
from running import RUNNING
from server import SHAPES
from steps import Step, last, shell, tool

HOSTS = ("claude-code", "codex", "gemini", "opencode")

# No command has a command substitution, because Gemini CLI refuses these.
COMMANDS = [
    shell("exit code 0 without output", "true"),
    shell("exit code 3", "echo before; exit 3"),
    shell("exit code of an unknown command", "no-such-command-here"),
    shell("exit code of a syntax error", "if then; fi"),
    shell("SIGKILL", "echo before; kill -9 $$"),
    shell("SIGTERM", "echo before; kill -TERM $$"),
    shell("stdout and stderr keep their order", "echo one; echo two >&2; echo three; echo four >&2"),
    shell("stderr alone", "echo wrong >&2; exit 1"),
    shell("cd", "mkdir -p sub && cd sub && pwd"),
    shell("the directory after cd", "pwd"),
    shell("cd back", "cd \"$HOME/work\" && export MINE=1 && echo \"[$MINE]\""),
    shell("an exported variable in the next call", "echo \"[$MINE]\""),
    shell("names of all variables", "env -0 | cut -z -d= -f1 | tr '\\0' '\\n' | grep -v -e OVERSPILL -e BASH_ENV -e SHELL_PREFIX | sort"),
    shell("state of the shell", "echo $0 $- $SHLVL $BASHOPTS; umask; ulimit -n; type -t ll"),
    shell("a pipe and PIPESTATUS", "printf 'b\\na\\n' | sort | head -1; false | true; echo ${PIPESTATUS[*]}; set -o pipefail; false | true; echo $?"),
    shell("a reader that ends early", "yes | head -2"),
    shell("a here-document", "cat <<'END'\n$HOME \"two\"  'three' \\four\n\n  last\nEND"),
    shell("quotes", "echo \"a'b\\\"c\\\\d\" '$HOME'  two\\ words \"$((1 + 2))\""),
    shell("set -e", "set -e; echo reached; false; echo not reached"),
    shell("a trap", "trap 'echo trapped' EXIT; exit 5"),
    shell("exec", "exec echo replaced"),
    shell("unicode", "printf 'é 汉字 🙂 e\\u0301 \\u202e\\n'"),
    shell("invalid UTF-8", "printf 'a\\xff\\xfeb\\xe6\\xb1\\n'"),
    shell("NUL bytes", "printf 'a\\000b\\n'"),
    shell("colours and carriage returns", "printf '\\033[31mred\\033[0m\\r\\n10%%\\r100%%\\nend'"),
    shell("blank lines and no last newline", "printf '\\n\\n  a\\n\\n\\nb'"),
    shell("a prompt without an answer", "read -p 'name? ' name; echo \"[$name] $?\""),
    shell("a program that reads its input", "cat; wc -c; test -t 0; echo $?; test -t 1; echo $?"),
    shell("a long output with an exit code", "seq -f 'line %.0f' 1 9000; exit 3", shortened("line", 9000)),
    shell("a long stderr", "seq -f 'line %.0f' 1 9000 >&2; exit 4", shortened("line", 9000)),
    shell("a long output and a signal", "seq -f 'line %.0f' 1 9000; kill -9 $$", shortened("line", 9000)),
    shell("a long output in a file of the user", "seq 1 9000 > many; wc -l < many; sort -n many | tail -1"),
]

# Codex reads stdout and stderr from two pipes. Without pauses it mixes their order, also without overspill.
UNORDERED = {("codex", "stdout and stderr keep their order")}

# Commands with long outputs that run at the same time: the word of each line, the number of lines, the exit code.
LONG_ONES = [("red", 8000, 0), ("green", 9000, 3), ("blue", 10000, 0), ("white", 11000, 4)]
TOGETHER = [
    Step("short outputs", [("shell", f"sleep 0.{4 - n}; echo call {n}; exit {n}") for n in range(4)]),
    Step("long outputs", [("shell", f"seq -f '{word} %.0f' 1 {count}; exit {code}") for word, count, code in LONG_ONES],
         [shortened(word, count) for word, count, _ in LONG_ONES]),
    Step("a command beside MCP calls", [("shell", "sleep 0.3; echo beside"), ("mcp", "short_text"), ("mcp", "short_error")]),
]

# The steps of a sub-agent. The host shows its last text to the model that started it.
AGENT = [
    shell("a failing command", "echo said in the agent; exit 4"),
    shell("a long output", "seq -f 'line %.0f' 1 9000", shortened("line", 9000)),
    Step("a short MCP result", ("mcp", "short_blocks")),
    Step("a long MCP result", ("mcp", "long_blocks"), shortened("first", 4000, second="second")),
]


def report(results):
    return "the agent saw: " + next(line for line in results[0].splitlines() if "said in the agent" in line)


def agents_of(name):
    """Returns the script of each sub-agent."""
    if name == "gemini":
        ending = Step("the end", lambda results: tool("complete_task", result={"response": report(results)}), None)
    else:
        ending = Step("the end", lambda results: ("say", report(results)), None)
    return {"helper": [*AGENT, ending]}


def starting(name):
    """Returns the steps in which a host starts a sub-agent and gets its report."""
    prompt = "play helper"
    agent = last(r'"agent_id":"([^"]+)')
    return {
        "claude-code": [Step("its report", tool("Agent", description="a task", prompt=prompt, subagent_type="general-purpose", run_in_background=False))],
        "codex": [Step("it starts", tool("spawn_agent", message=prompt)),
                  Step("its report", lambda results: tool("wait_agent", targets=[agent(results)], timeout_ms=60000))],
        "gemini": [Step("its report", tool("invoke_agent", agent_name="generalist", prompt=prompt))],
        "opencode": [Step("its report", tool("task", description="a task", prompt=prompt, subagent_type="general"))],
    }[name]


HOOKS = [
    shell("a command that the user's hook refuses", "echo refused by my hook"),
    shell("the next command", "echo allowed"),
]

# The lines of the long results, as the server makes them.
LONG_RESULTS = {
    "long_blocks": shortened("first", 4000, second="second"), "long_picture": shortened("caption", 2000),
    "long_resource": shortened("note", 2000), "long_error": shortened("failure", 2000),
    # opencode without overspill shows nothing of this result.
    "long_structured": has("[overspill ", 'name 1"', 'name 1500"'),
}


def ended(ours, theirs):
    """A judge: both calls fail, and the proxy names the reason."""
    closed = re.search(r"(?i)\bclosed\b", theirs.text)
    return has("the server ended with exit code 3")(ours, theirs) or (None if closed else f"without us {theirs.text[:300]!r}")


MCP = [
    *[Step(shape, ("mcp", shape), LONG_RESULTS.get(shape, same)) for shape in SHAPES],
    Step("progress", ("mcp", "progress")),
    Step("an error of the protocol", ("mcp", "refused")),
    Step("the server ends in mid-call", ("mcp", "ends"), ended),
    shell("a command after that", "sleep 0.5; echo still here"),
    Step("a call after that", ("mcp", "short_text")),
]


# The steps that a host cannot play, and the reason.
NOT_THERE = {
    ("opencode", "SIGKILL"): "by itself it waits for its timeout then",
    ("opencode", "SIGTERM"): "by itself it waits for its timeout then",
    ("opencode", "a long output and a signal"): "by itself it waits for its timeout then",
    ("opencode", "a server in the background"): "its shell has no background",
}


def scenarios_of(name):
    """Returns the title and the steps of each scenario, without the steps that the host cannot play."""
    scenarios = [
        ("commands", COMMANDS), ("together", TOGETHER), ("agent", starting(name)), ("hooks", HOOKS), ("running", RUNNING[name]), ("mcp", MCP),
    ]
    judged = lambda step: step._replace(judge=unordered) if (name, step.what) in UNORDERED else step
    return [(title, [judged(step) for step in steps if (name, step.what) not in NOT_THERE]) for title, steps in scenarios]


def reasons(name):
    return [f"{what} ({why})" for (host, what), why in NOT_THERE.items() if host == name]
