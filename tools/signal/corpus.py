"""Reads a corpus of labelled logs, and counts how many of the wanted lines a preview shows.

A corpus is a directory with `labels.jsonl` and the logs that it names, plain or compressed with xz or
gzip. Each label has `file`, `group` (the project of the log), `dataset`, `position`, `bytes`, and
`signal`, the wanted lines: a list of `{"start_line", "end_line"}` (counted from 1, both included) or
`{"text"}` (a text in any line).
"""

import gzip
import json
import lzma
import os
import re

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_=>]")
STAMP = re.compile(r"^(\[\w+ )?\d{4}-\d\d-\d\d[T ][\d:.,]+(Z|[+-]\d\d:?\d\d)?\]?\s+")
# The number of characters of a wanted line that a preview must show. A preview may clip the rest.
LONGEST = 160


def labels(corpus, min_bytes=0, hopeless=False):
    """Yields all labels, without logs in which thousands of lines are like the wanted line."""
    with open(os.path.join(corpus, "labels.jsonl"), encoding="utf-8") as lines:
        for label in map(json.loads, lines):
            if label["bytes"] > min_bytes and (hopeless or label.get("guessable", True)):
                yield label


def read(corpus, name):
    """Returns the bytes of a log."""
    path = os.path.join(corpus, name)
    for ending, opener in (("", open), (".xz", lzma.open), (".gz", gzip.open)):
        if os.path.exists(path + ending):
            with opener(path + ending, "rb") as log:
                return log.read()
    raise FileNotFoundError(path)


def plain(text):
    """Returns a text without colours and with single blanks."""
    return " ".join(ESCAPE.sub("", text).split())


def visible(line):
    """Returns the text that a reader sees in a line: its last state, without its time stamp."""
    for state in reversed(line.split("\r")):
        if text := plain(state):
            return STAMP.sub("", text)
    return ""


def wanted(label, log):
    """Returns the distinct texts that a preview should show."""
    lines, texts = None, []
    for signal in label["signal"]:
        if "text" in signal:
            texts.append(plain(signal["text"]))
            continue
        if lines is None:
            lines = log.decode("utf-8", "replace").split("\n")
        texts += map(visible, lines[signal["start_line"] - 1 : signal["end_line"]])
    texts = [text[:LONGEST].strip() for text in texts]
    return [text for text in dict.fromkeys(texts) if len(re.findall(r"\w", text)) >= 3]


def kept(texts, preview):
    """Returns the number of wanted texts that a preview shows."""
    rows = [" ".join(row.split()) for row in
            re.split(r"[\r\n]+", ESCAPE.sub("", preview.decode("utf-8", "replace")))]
    body = "\n".join(rows)
    short = [row for row in rows if len(row) < 40]
    # A short text occurs by chance within other texts. So it must be a whole short row or end one.
    ends = {end for row in short for end in (row, row.rsplit(" ", 1)[-1], re.split(r"[|:]\s?", row)[-1])}

    def is_kept(text):
        if len(text) >= 12:
            return text in body
        return text in ends or any(row.endswith((" " + text, ":" + text, "|" + text)) for row in short)

    return sum(map(is_kept, texts))
