"""Scenarios with commands that still run when the model looks, that the host stops, or that stay in the background."""

from judge import MOST, has, same
from steps import Step, last, shell, tool

# A server that prints its error only at the end.
SERVER = "seq -f '%.0f of the lines of a server in the background' 1 400; sleep 2; echo ERROR: the database is gone; exec sleep 60"
LEFT_BEHIND = "(sleep 3; echo late > late) & echo started"
# Gemini CLI and opencode wait for a job that keeps their pipe open, so this job does not.
LEFT_APART = "(sleep 3; echo late > late) >/dev/null 2>&1 & echo started"


def also(judge, text):
    """Returns a judge that also looks for a text in both results."""
    def both(ours, theirs):
        return judge(ours, theirs) or has(both=[text])(ours, theirs)
    return both


def first_look(ours, theirs):
    """A judge: overspill shows the start of a large output, and a line about the rest."""
    well = "\n1\n2\n3\n" in ours.text and "still running, 30,000 lines so far; " in ours.text and len(ours.text) < MOST // 4
    return None if well else f"{ours.text[:300]!r} … {ours.text[-300:]!r}"


def cancelled(said):
    """Returns a judge of 30,000 numbers: the start, the end, and the message of the host about the timeout."""
    def judge(ours, theirs):
        return has("\n1\n2\n3\n", "[overspill ", both=["\n29999\n30000\n", said])(ours._replace(text="\n" + ours.text), theirs)
    return judge


def claude_code():
    bash = lambda command, **more: tool("Bash", command=command, description="a step", **more)
    file, task = last(r"written to: (\S+\.output)"), last(r"tasks/(\w+)\.output")
    read = lambda results: tool("Read", file_path=file(results), offset=390)
    seen = also(same, "ERROR: the database is gone")
    stop = lambda results: tool("TaskStop", task_id=task(results))
    return [
        # The host moves this command to the background. Without a stop it would wait for the command at the end.
        Step("a timeout with a large output", bash("seq 1 30000; exec sleep 60", timeout=3000)),
        Step("that command is stopped", stop),
        Step("a server in the background", bash(SERVER, run_in_background=True)),
        Step("a moment passes", bash("sleep 4")),
        Step("the file of the server", read, seen),
        Step("the server is stopped", stop),
        Step("the file after the end", read, seen),
        Step("a job that is left behind", bash(LEFT_BEHIND)),
        Step("the escape for one call", bash("OVERSPILL=off seq 1 3000")),
    ]


def codex():
    run = lambda command, wait: tool("exec_command", cmd=command, yield_time_ms=wait)
    session = last(r"session ID (\d+)")
    poll = lambda results: tool("write_stdin", session_id=int(session(results)), chars="", yield_time_ms=8000)
    return [
        Step("a short look at a short output", run("echo one; sleep 4; echo two", 1500)),
        Step("the rest of it", poll),
        Step("a short look at a large output", run("seq 1 30000; sleep 8; echo end; exit 3", 2500), first_look),
        Step("the rest of that", poll, has("[overspill ", "\n30000\nend", both=["code 3"])),
        Step("a job that is left behind", run(LEFT_BEHIND, 5000)),
        Step("the escape for one call", run("OVERSPILL=off seq 1 1500", 5000)),
    ]


def gemini():
    run = lambda command, **more: tool("run_shell_command", command=command, **more)
    process = lambda results: int(last(r"background \(PID: (\d+)\)")(results))
    read = lambda results, **more: tool("read_background_output", pid=process(results), lines=3, **more)
    # The host adds blank lines between the parts that it has read, so the results are not the same.
    seen = has(both=["of 402 lines", "ERROR: the database is gone"])
    return [
        Step("a timeout with a large output", run("seq 1 30000; exec sleep 60"), cancelled("exceeded the timeout")),
        Step("a timeout with a short output", run("echo small; exec sleep 60")),
        Step("a server in the background", run(SERVER, is_background=True, delay_ms=1000)),
        Step("the output of the server", lambda results: read(results, delay_ms=3000), seen),
        Step("the list of processes", tool("list_background_processes")),
        Step("the server is stopped", lambda results: run(f"kill -- -{process(results)}; sleep 1; echo stopped"), has(both=["stopped"])),
        Step("the output after the end", read, seen),
        Step("a job that is left behind", run(LEFT_APART)),
        Step("the escape for one call", run("OVERSPILL=off seq 1 3000")),
    ]


def opencode():
    bash = lambda command, **more: tool("bash", command=command, **more)
    return [
        Step("a timeout with a large output", bash("seq 1 30000; exec sleep 60", timeout=3000), cancelled("after exceeding timeout 3000 ms")),
        Step("a timeout with a short output", bash("echo small; exec sleep 60", timeout=2000)),
        Step("a job that is left behind", bash(LEFT_APART)),
        Step("the escape for one call", bash("OVERSPILL=off seq 1 1500")),
    ]


RUNNING = {"claude-code": claude_code(), "codex": codex(), "gemini": gemini(), "opencode": opencode()}
