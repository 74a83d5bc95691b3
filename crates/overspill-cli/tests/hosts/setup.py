"""Installs overspill for a host with `overspill init`, as a user does."""

import re
import subprocess
from pathlib import Path

from drive import Host
from model import Model


def settings_in(home):
    """Returns the content of every settings file by its path."""
    found = {}
    for path in sorted(home.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix in (".json", ".jsonc", ".toml", ".env", ".js", ".ts", ".rules", ".yaml"):
            found[str(path.relative_to(home))] = path.read_bytes()
    return found


def run(overspill, *words, environment):
    done = subprocess.run([overspill, *words], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"overspill {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def put_in(host, overspill, options, on_path=False, with_alias=True):
    """Installs overspill for a host whose settings exist."""
    # Copilot asks before it runs a program outside of PATH and of its own directory.
    if on_path or host.name == "copilot":
        programs = host.home / ".local/bin"
        programs.mkdir(parents=True)
        (programs / "overspill").symlink_to(Path(overspill).resolve())
        host.environment["PATH"] = f"{programs}:{host.environment['PATH']}"
    for _ in range(2):
        said = run(overspill, "init", host.name, "--force", *options, environment=host.environment)
    # A user puts the alias that `init` prints into the shell. Here its variables are set directly.
    alias = re.search(r"(?m)^ *alias \S+='(.*) \S+'$", said)
    if alias and with_alias:
        variables = subprocess.run(["bash", "-c", f"{alias.group(1)} env -0"], env=host.environment, stdout=subprocess.PIPE, check=True)
        given = dict(pair.split("=", 1) for pair in variables.stdout.decode().split("\0") if pair)
        host.environment |= {name: value for name, value in given.items() if name not in ("_", "SHLVL", "PWD", "OLDPWD")}


def set_up(name, overspill, home, steps, options, on_path=False, with_alias=True):
    """Returns a model, a host with overspill installed, the arguments that run it, and its settings before `init`."""
    model = Model(steps)
    host = Host(name, home)
    words = host.settings(model.url)
    before = settings_in(host.home)
    put_in(host, overspill, options, on_path, with_alias)
    return model, host, words, before
