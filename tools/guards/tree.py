"""The files that guards look at, and views of a Rust file: its code, its strings, its comments."""

import functools
import pathlib
import re
import subprocess

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>\bb?r(?P<hash>\#*)".*?"(?P=hash) | \bb?"(?:\\.|[^"\\])*" | "(?:\\.|[^"\\])*")
      | (?P<char>b?'(?:\\u\{[^}]*\}|\\.|[^'\\\n])')""",
    re.S | re.X,
)
CFG_TEST = re.compile(r"#\[cfg\(test\)\]")


class Tree:
    """Paths below the root, and the text of each file."""

    def __init__(self, files):
        self.files = files

    @classmethod
    def read(cls, root):
        command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
        files = {}
        for path in filter(None, listed.split("\0")):
            file = pathlib.Path(root, path)
            if file.is_file():
                files[path] = file.read_text(errors="replace")
        return cls(files)

    def matching(self, pattern):
        """Yields path and text of the files whose path matches."""
        for path in sorted(self.files):
            if re.search(pattern, path):
                yield path, self.files[path]

    def sources(self):
        """Yields path and views of the Rust files that are part of a product, without tests in them."""
        for path, text in self.matching(r"^(crates|bindings)/[^/]+/src/.*\.rs$"):
            if not path.endswith("/tests.rs"):
                yield path, views(text)


class Views:
    """Three texts of the same length as the file: everything else is blank in each."""

    def __init__(self, code, strings, comments):
        self.code, self.strings, self.comments = code, strings, comments


def blank(text):
    return re.sub(r"[^\n]", " ", text)


@functools.lru_cache(maxsize=None)
def views(text):
    code, strings, comments, last = [], [], [], 0
    for token in TOKEN.finditer(text):
        between, here = text[last : token.start()], token.group()
        gap = blank(here)
        code += between, gap
        strings += blank(between), here if token["string"] else gap
        comments += blank(between), here if token["comment"] else gap
        last = token.end()
    code.append(text[last:])
    strings.append(blank(text[last:]))
    comments.append(blank(text[last:]))
    return without_tests(Views("".join(code), "".join(strings), "".join(comments)))


def without_tests(found):
    """Blanks each item that is only compiled for tests."""
    at = 0
    while start := CFG_TEST.search(found.code, at):
        at = end_of_item(found.code, start.end())
        for view in ("code", "strings", "comments"):
            text = getattr(found, view)
            setattr(found, view, text[: start.start()] + blank(text[start.start() : at]) + text[at:])
    return found


def end_of_item(code, at):
    """Returns the end of the item at a place: its `;`, or the brace that closes it."""
    first = re.compile(r"[;{]").search(code, at)
    if not first:
        return len(code)
    return first.end() if first.group() == ";" else closing(code, first.start()) + 1


def closing(code, at):
    """Returns where the brace at a place is closed."""
    depth = 0
    for brace in re.compile(r"[{}]").finditer(code, at):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    return len(code) - 1


def line_of(text, at):
    return text.count("\n", 0, at) + 1
