"""Judges one result of a call: that of a host with overspill against that of the same host without it.

A judge gets both results and returns what is wrong, or nothing.
"""

import json
import re
from collections import namedtuple

# The text of a result, and the result as the host sent it to the model.
Result = namedtuple("Result", "text sent")

# What any host shows of a command that failed.
MOST = 10_000

# These differ from run to run in any host.
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
        # A slot starts the bash that is first in the PATH, a host the one of SHELL.
        value = value.replace("/usr/bin/bash", "/bin/bash")
        return VARYING.sub("…", REMINDER.sub("", value.replace(str(home), "HOME")))
    if isinstance(value, list):
        # Claude Code adds its reminders as parts of their own.
        parts = [part for part in value if not (isinstance(part, dict) and REMINDER.fullmatch(str(part.get("text"))))]
        return [plain(part, home) for part in parts]
    if isinstance(value, dict):
        return {key: plain(part, home) for key, part in value.items() if key not in ("cache_control", "pid")}
    return value


def difference(ours, theirs):
    """Returns the place where two texts begin to differ."""
    if ours == theirs:
        return None
    at = next((n for n, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    begin = max(0, at - 80)
    return f"{ours[begin:at + 160]!r}, without us {theirs[begin:at + 160]!r}"


def same(ours, theirs):
    """The model sees the same."""
    return difference(*(json.dumps(result.sent, ensure_ascii=False) for result in (ours, theirs)))


def codes(text):
    """Returns all exit codes and signals that the host names. A notice may name them, too."""
    return re.findall(r"(?i)(?:exit code:?|exited with code|signal:?) \w+", re.sub(r"\[overspill .*", "", text))


def beside(sent):
    """Returns what is no text in a result: pictures, and whether it is an error."""
    found = []
    if isinstance(sent, list):
        found = [one for part in sent for one in beside(part)]
    elif isinstance(sent, dict):
        is_picture = "inlineData" in sent or sent.get("type") in ("image", "input_image", "image_url")
        found = [sent] if is_picture else [one for part in sent.values() for one in beside(part)]
        found += [{"is_error": True}] if sent.get("is_error") else []
    return found


def shortened(word, count, second=None):
    """Returns a judge of `count` lines, each "WORD NUMBER …": a preview of these lines alone, and a notice.

    A result of two parts of the same length has a second word.
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
    """The model sees the same lines, in any order."""
    lines = [sorted(result.text.splitlines()) for result in (ours, theirs)]
    return None if lines[0] == lines[1] else f"{ours.text!r}, without us {theirs.text!r}"


def has(*wanted, both=()):
    """Returns a judge that looks for texts in our result, and for those of `both` in either."""
    def judge(ours, theirs):
        missing = [text for text in (*wanted, *both) if text not in ours.text]
        missing += [f"{text} (without us)" for text in both if text not in theirs.text]
        return f"{missing} is not in {ours.text[:300]!r} … {ours.text[-300:]!r}" if missing else None
    return judge
