"""Runs each adapter in the real framework, with a model that makes one tool call."""

import asyncio
from pathlib import Path

import pytest
from conftest import numbered

from overspill import Overspill
from overspill.adapters import klaude


def lines(text):
    return len(text.splitlines())


@pytest.mark.parametrize("later", [False, True])
def test_langchain(make, later):
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    from overspill.adapters.langchain import OverspillMiddleware

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools, **kwargs):
            return self

    @tool
    def log(count: int) -> str:
        """Reads a log."""
        return numbered(count)

    @tool
    def parts() -> list:
        """Reads it in parts."""
        return [{"type": "text", "text": numbered(500)}, {"type": "text", "text": "end"}]

    asked = [
        {"name": "log", "args": {"count": 1000}, "id": "c1"},
        {"name": "log", "args": {"count": 2}, "id": "c2"},
        {"name": "parts", "args": {}, "id": "c3"},
    ]
    model = Model(messages=iter([AIMessage("", tool_calls=asked), AIMessage("done")]))
    overspill = make(max_lines=10)
    agent = create_agent(model, [log, parts], middleware=[OverspillMiddleware(overspill)])
    question = {"messages": [("user", "read it")]}
    answer = asyncio.run(agent.ainvoke(question)) if later else agent.invoke(question)
    long, short, in_parts = (one for one in answer["messages"] if one.type == "tool")
    assert lines(long.content) <= 10 and long.tool_call_id == "c1" and long.name == "log"
    assert short.content == numbered(2)
    assert sum(lines(part["text"]) for part in in_parts.content) <= 11
    assert {entry["call_id"] for entry in overspill.list()} == {"c1", "c3"}


def test_openai_agents(make):
    from agents import Agent, ModelResponse, Runner, ToolOutputText, Usage, function_tool, set_tracing_disabled
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    from overspill.adapters.openai_agents import shortened

    set_tracing_disabled(True)

    class Asks(Model):
        def __init__(self):
            self.seen = []

        async def get_response(self, system_instructions, input, *args, **kwargs):
            self.seen = [one["output"] for one in input if one.get("type") == "function_call_output"]
            if self.seen:
                text = ResponseOutputText(text="done", type="output_text", annotations=[])
                output = [
                    ResponseOutputMessage(
                        id="m", content=[text], role="assistant", status="completed", type="message"
                    )
                ]
            else:
                output = [
                    ResponseFunctionToolCall(call_id=name, name=name, arguments="{}", type="function_call")
                    for name in ["log", "part", "number", "short"]
                ]
            return ModelResponse(output=output, usage=Usage(), response_id=None)

        def stream_response(self, *args, **kwargs):
            raise NotImplementedError

    @function_tool
    def log() -> str:
        return numbered(1000)

    @function_tool
    def part():
        return ToolOutputText(text=numbered(1000))

    @function_tool
    def number():
        return {"lines": numbered(1000).splitlines()}

    @function_tool
    def short() -> str:
        return "short"

    overspill, model = make(max_lines=10, max_bytes=2000), Asks()
    agent = Agent(name="reader", model=model, tools=shortened(overspill, [log, part, number, short]))
    assert Runner.run_sync(agent, "read it").final_output == "done"
    text, in_part, data, whole = model.seen
    assert lines(text) <= 10 and lines(in_part[0]["text"]) <= 10
    assert len(data) <= 2000 and whole == "short"
    assert {entry["call_id"] for entry in overspill.list()} == {"log", "part", "number"}


def test_mcp(make):
    from mcp import Client
    from mcp.server.mcpserver import MCPServer
    from mcp.types import CallToolResult, ImageContent, TextContent

    from overspill.adapters.mcp import shortened

    overspill, server = make(max_lines=10), MCPServer("logs")

    @server.tool(structured_output=False)
    @shortened(overspill)
    def log(count: int) -> str:
        """Reads a log."""
        return numbered(count)

    @server.tool(structured_output=False)
    @shortened(overspill, tool="pictures")
    async def parts() -> list:
        return [TextContent(type="text", text=numbered(900)), ImageContent(type="image", data="aa", mime_type="image/png")]

    @server.tool(structured_output=False)
    @shortened(overspill)
    def result() -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text=numbered(900))], is_error=True)

    async def main():
        async with Client(server) as client:
            assert "count" in (await client.list_tools()).tools[0].input_schema["properties"]
            long = await client.call_tool("log", {"count": 1000})
            assert lines(long.content[0].text) <= 10 and not long.is_error
            short = await client.call_tool("log", {"count": 3})
            assert short.content[0].text == numbered(3)
            text, image = (await client.call_tool("parts", {})).content
            assert lines(text.text) <= 10 and image.data == "aa"
            failed = await client.call_tool("result", {})
            assert lines(failed.content[0].text) <= 10 and failed.is_error

    asyncio.run(main())
    assert {entry["tool"] for entry in overspill.list()} == {"log", "pictures", "result"}


def test_pydantic_ai(make):
    from pydantic_ai import Agent
    from pydantic_ai.messages import ToolReturn, ToolReturnPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.toolsets import FunctionToolset

    from overspill.adapters.pydantic_ai import OverspillToolset

    def log() -> str:
        return numbered(1000)

    def rich() -> ToolReturn:
        return ToolReturn(return_value=numbered(1000), metadata={"n": 1})

    def number() -> int:
        return 5

    overspill = make(max_lines=10)
    toolset = OverspillToolset(FunctionToolset([log, rich, number]), overspill=overspill)
    result = Agent(TestModel(), toolsets=[toolset]).run_sync("read it")
    parts = [part for message in result.all_messages() for part in message.parts]
    returned = {part.tool_name: part.content for part in parts if isinstance(part, ToolReturnPart)}
    assert lines(returned["log"]) <= 10 and lines(returned["rich"]) <= 10 and returned["number"] == 5
    assert {entry["tool"] for entry in overspill.list()} == {"log", "rich"}


@pytest.mark.parametrize("later", [False, True])
def test_deepagents(make, tmp_path, later):
    from deepagents import create_deep_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    from overspill.adapters.deepagents import OverspillShellBackend

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools, **kwargs):
            return self

    @tool
    def log() -> str:
        """Reads a log."""
        return numbered(1000)

    asked = [
        {"name": "execute", "args": {"command": "seq 1 40000; exit 3"}, "id": "c1"},
        {"name": "execute", "args": {"command": "echo out"}, "id": "c2"},
        {"name": "log", "args": {}, "id": "c3"},
    ]
    # A subagent has the same backend.
    task = {"description": "count", "subagent_type": "general-purpose"}
    count = {"name": "execute", "args": {"command": "seq 1 30000"}, "id": "s1"}
    messages = [
        AIMessage("", tool_calls=asked),
        AIMessage("", tool_calls=[{"name": "task", "args": task, "id": "c4"}]),
        AIMessage("", tool_calls=[count]),
        AIMessage("counted"),
        AIMessage("done"),
    ]
    overspill = make(max_lines=10)
    backend = OverspillShellBackend(overspill, root_dir=tmp_path, inherit_env=True)
    agent = create_deep_agent(
        Model(messages=iter(messages)), [log], backend=backend, middleware=[backend.middleware]
    )
    question = {"messages": [("user", "count")]}
    answer = asyncio.run(agent.ainvoke(question)) if later else agent.invoke(question)
    long, short, other, task = (one for one in answer["messages"] if one.type == "tool")
    assert long.content.count("[overspill ") == 1 and "\n40000\n\nExit code: 3\n" in long.content
    assert lines(long.content) <= 13
    assert short.content.startswith("out\n") and "overspill" not in short.content
    assert lines(other.content) <= 10 and task.content == "counted"
    commands = {entry["command"]: entry["bytes"] for entry in overspill.list() if entry.get("command")}
    assert set(commands) == {"seq 1 40000; exit 3", "seq 1 30000"}
    # deepagents itself keeps 100,000 bytes.
    assert commands["seq 1 40000; exit 3"] == 228_893


def test_mini_swe_agent(tmp_path, monkeypatch):
    monkeypatch.setenv("MSWEA_SILENT_STARTUP", "1")
    monkeypatch.setenv("MSWEA_GLOBAL_CONFIG_DIR", str(tmp_path))
    from minisweagent.agents.default import DefaultAgent
    from minisweagent.environments import get_environment
    from minisweagent.models.test_models import DeterministicModel, make_output

    commands = ["seq 1 40000; exit 3", "echo out; echo err >&2"]
    end = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; seq 1 5000"
    outputs = [make_output("", [{"command": command, "tool_call_id": command}]) for command in [*commands, end]]
    # A configuration file names the environment in the same way.
    environment = get_environment(
        {
            "environment_class": "overspill.adapters.mini_swe_agent.OverspillEnvironment",
            "runs_in": "local",
            "cwd": str(tmp_path),
            "overspill": {"max_lines": 10, "store": str(tmp_path / "outputs")},
        }
    )
    agent = DefaultAgent(
        DeterministicModel(outputs=outputs), environment, system_template="s", instance_template="t", cost_limit=0
    )
    result = agent.run("count")
    long, short = (one["content"] for one in agent.messages if one["role"] == "user" and "returncode" in one["content"])
    assert "<returncode>3</returncode>" in long and "[overspill " in long and "\n40000\n" in long
    assert lines(long) <= 14
    assert "out\nerr\n" in short and "overspill" not in short
    # The final output stays whole.
    assert lines(result["submission"]) == 5000
    (entry,) = environment.overspill.list()
    assert environment.serialize()["info"]["config"]["environment"]["cwd"] == str(tmp_path)
    assert (entry["command"], entry["call_id"], entry["exit_code"]) == (commands[0], commands[0], 3)


def test_klaude(tmp_path):
    strategy = klaude.SmartTruncationStrategy(truncation_dir=str(tmp_path / "klaude"))
    klaude.set_truncation_strategy(strategy)
    assert klaude.get_truncation_strategy() is strategy
    short = klaude.truncate_tool_output("short", "Bash", "call_1")
    assert short == klaude.TruncationResult("short", False, None, 5, 0)
    output = "ä" * 25_000 + "b" * 25_000
    result = klaude.truncate_tool_output(output, "Bash", "call_1")
    assert Path(result.saved_file_path).read_text() == output
    assert Path(result.saved_file_path).name.startswith("Bash-call_1-")
    assert (result.original_length, result.truncated_length) == (50_000, 30_000)
    assert result.output.startswith("[Output truncated: 30000 chars hidden, full output saved to ")
    assert result.output.endswith("[Last 10000 chars below]\n" + "b" * 10_000)
    assert klaude.render_truncation(result).startswith("Output truncated: 50000 chars total")
    assert klaude.render_truncation(short) == ""
    simple = klaude.SimpleTruncationStrategy(max_length=10).truncate("x" * 15)
    assert simple.output == "x" * 10 + "... (truncated 5 characters)" and simple.saved_file_path is None
