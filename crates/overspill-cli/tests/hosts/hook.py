"""A hook of the user: `hook.py LOG` adds its input to the log, and refuses one command."""

import sys

given = sys.stdin.read()
with open(sys.argv[1], "a") as log:
    log.write(" ".join(given.splitlines()) + "\n")
if "refused by my hook" in given and "tool_response" not in given:
    print("my hook does not want this command", file=sys.stderr)
    sys.exit(2)
