"""Compares the result of a call in a host with overspill and in the same host without it.

A judge is a function that gets both results and returns the fault, or None.
"""

import json
import re
from collections import namedtuple

# The text of a result, and the result as the host sent it to the model.
Result = namedtuple("Result", "text sent")

# The number of characters that every host shows of a command that failed.
MOST = 10_000

# Parts of a result that differ from run to run, also without overspill.
VARYING = re.compile("|".join((
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[\d:.-]*Z?",
    # Claude Code: files, tasks, agents.
    r"/tmp/claude-\S+", r"\bID: \w+", r"\bb[a-z0-9]{8}\b", r"blob-\d+-\w+", r"\bagentId\W+\w+", r"\ba[0-9a-f]{16}\b", r"tmp-overspill-host-[\w-]+",
    r"duration_ms: \d+", r'\\*"\w*[dD]uration\w*\\*": ?\d+', r"subagent_tokens: \d+",
    # Codex: parts of an output, sessions, agents.
    r"Chunk ID: \w+", r"Wall time: [\d.]+", r"session ID \d+", r'\\*"nickname\\*": ?\\*"[\w .-]+\\*"', r"rollout-[\w-]+",
    # Gemini CLI: processes.
    r"\bP?G?ID: \d+", r"\b(PIDs?|ID|process group): \d+", r"\[PID \d+\]", r"kill -- -\d+", r"\bsession-[\w…-]+\.jsonl",
    # opencode: sessions, saved outputs.
    r"\bses_\w+", r"\btool_[0-9a-zA-Z]{20,}",
)))
REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


def plain(value, home):
    """Returns a result without the parts that differ from run to run."""
    if isinstance(value, str):
        # A shell slot starts the first bash in PATH; a host starts the bash in SHELL.
        value = value.replace("/usr/bin/bash", "/bin/bash")
        return VARYING.sub("…", REMINDER.sub("", value.replace(str(home), "HOME")))
    if isinstance(value, list):
        # Claude Code adds its reminders as separate parts.
        parts = [part for part in value if not (isinstance(part, dict) and REMINDER.fullmatch(str(part.get("text"))))]
        return [plain(part, home) for part in parts]
    if isinstance(value, dict):
        return {key: plain(part, home) for key, part in value.items() if key not in ("cache_control", "pid")}
    return value


def difference(ours, theirs):
    """Returns the texts around the first difference, or None if both are the same."""
    if ours == theirs:
        return None
    at = next((n for n, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    begin = max(0, at - 80)
    return f"{ours[begin:at + 160]!r}, without us {theirs[begin:at + 160]!r}"


def same(ours, theirs):
    """A judge: the model gets the same result."""
    return difference(*(json.dumps(result.sent, ensure_ascii=False) for result in (ours, theirs)))


def codes(text):
    """Returns all exit codes and signals that the host names, without those in a notice of overspill."""
    return re.findall(r"(?i)(?:exit code:?|exited with code|signal:?) \w+", re.sub(r"\[overspill .*", "", text))


def beside(sent):
    """Returns the parts of a result that are not text: pictures, and whether the result is an error."""
    found = []
    if isinstance(sent, list):
        found = [one for part in sent for one in beside(part)]
    elif isinstance(sent, dict):
        is_picture = "inlineData" in sent or sent.get("type") in ("image", "input_image", "image_url")
        found = [sent] if is_picture else [one for part in sent.values() for one in beside(part)]
        found += [{"is_error": True}] if sent.get("is_error") else []
    return found


def shortened(word, count, second=None):
    """Returns a judge of a long result with `count` lines, each "WORD NUMBER …".

    overspill must show a notice and a preview of only these lines. A result with two parts of the same length has a
    second word.
    """
    def judge(ours, theirs):
        text = ours.text.replace("\\n", "\n")
        if "[overspill " not in text or f"{count:,} lines" not in text:
            return f"there is no notice: {text[:200]!r} … {text[-200:]!r}"
        numbers = re.findall(r'\b([a-z]+) (\d+)(?: of \d+)?(?="|$)', text, re.MULTILINE)
        words = {name for name, _ in numbers} - {"code"}
        if words != {word, second or word}:
            return f"lines of {sorted(words)}, not of {word!r} alone"
        ends = {(word, "1"), (second, str(count // 2)) if second else (word, str(count))}
        if not ends <= set(numbers):
            return f"the first or the last line is missing: {text[:200]!r} … {text[-200:]!r}"
        if len(numbers) >= count:
            return f"all {count} lines are there"
        if codes(ours.text) != codes(theirs.text) or beside(ours.sent) != beside(theirs.sent):
            return f"{codes(ours.text)}, {beside(ours.sent)!r}, without us {codes(theirs.text)}, {beside(theirs.sent)!r}"
        return None
    return judge


def unordered(ours, theirs):
    """A judge: the model gets the same lines, in any order."""
    lines = [sorted(result.text.splitlines()) for result in (ours, theirs)]
    return None if lines[0] == lines[1] else f"{ours.text!r}, without us {theirs.text!r}"


def has(*wanted, both=()):
    """Returns a judge that looks for texts in the result with overspill, and for the texts of `both` in both results."""
    def judge(ours, theirs):
        missing = [text for text in (*wanted, *both) if text not in ours.text]
        missing += [f"{text} (without us)" for text in both if text not in theirs.text]
        return f"{missing} is not in {ours.text[:300]!r} … {ours.text[-300:]!r}" if missing else None
    return judge
