"""The emulator must fail tests by itself; these tests see to it that it does."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.emulators.model_endpoint import DROP, Call, ModelEndpoint, Raw, Reply, Seen

USER = {"role": "user", "content": "Who is Mara?"}
FUNCTION = {"name": "lookup", "description": "Looks up.", "parameters": {"type": "object", "properties": {}}}
TOOLS = [{"type": "function", "function": FUNCTION}]


def asked(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:  # any JSON
    return {"model": "m", "messages": [USER, *messages], **more}


def called(*ids: str, name: str = "lookup", arguments: str = "{}", **more: Any) -> dict[str, Any]:  # any JSON
    calls = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}} for id_ in ids
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def result(id_: str, content: object = "r") -> dict[str, Any]:  # any JSON
    return {"role": "tool", "tool_call_id": id_, "content": content}


def with_schema(schema: Any, name: str = "lookup") -> dict[str, Any]:  # any JSON
    function = {**FUNCTION, "name": name, "parameters": schema}
    return asked(tools=[{"type": "function", "function": function}])


async def post(endpoint: ModelEndpoint, body: object) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        return await client.post(f"{endpoint.url}/chat/completions", content=json.dumps(body))


REFUSED: dict[str, tuple[object, str]] = {
    "no object": ([], "no object"),
    "no messages": ({"model": "m", "messages": []}, "not empty"),
    "no model": ({"messages": [USER]}, "model"),
    "null content": (asked({"role": "user", "content": None}), "content must be text"),
    "late system": (asked({"role": "system", "content": "x"}, USER), "at the beginning"),
    "odd role": (asked({"role": "function", "content": "x"}), "role"),
    "assistant last": (asked({"role": "assistant", "content": "x"}), "last role"),
    "orphan result": (asked(result("a"), tools=TOOLS), "must be a response"),
    "unanswered": (asked(called("a", "b"), result("a"), tools=TOOLS), "without a result"),
    "unanswered before user": (asked(called("a"), USER, tools=TOOLS), "without a result"),
    "wrong order": (asked(called("a", "b"), result("b"), result("a"), tools=TOOLS), "in the order"),
    "id twice": (asked(called("a", "a"), result("a"), result("a"), tools=TOOLS), "used twice"),
    "id in two turns": (asked(called("a"), result("a"), called("a"), result("a"), tools=TOOLS), "used twice"),
    "empty id": (asked(called(""), result(""), tools=TOOLS), "id missing"),
    "null result": (asked(called("a"), result("a", None), tools=TOOLS), "content must be text"),
    "null beside calls": (asked(called("a", content=None), result("a"), tools=TOOLS), "content must be text"),
    "no calls": (asked({"role": "assistant", "content": "", "tool_calls": []}, USER), "must not be empty"),
    "bad name": (asked(called("a", name="lore.x"), result("a"), tools=TOOLS), "name 'lore.x'"),
    "broken arguments": (asked(called("a", arguments='{"x":'), result("a"), tools=TOOLS), "no JSON object"),
    "tools missing": (asked(called("a"), result("a")), "missing although"),
    "no tools": (asked(tools=[]), "must not be empty"),
    "tool choice alone": (asked(tool_choice="none"), "only with tools"),
    "tool name": (with_schema({"type": "object"}, name="9x"), "bad or repeated name"),
    "tool twice": (asked(tools=TOOLS * 2), "bad or repeated name"),
    "const": (with_schema({"type": "object", "properties": {"a": {"const": "x"}}}), "unknown name 'const'"),
    "nested": (
        with_schema({"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#"}}}}),
        "unknown name '$ref'",
    ),
    "list without items": (with_schema({"type": "object", "properties": {"a": {"type": "array"}}}), "items"),
    "number enum": (
        with_schema({"type": "object", "properties": {"a": {"type": "integer", "enum": [1]}}}),
        "only texts",
    ),
    "type list": (
        with_schema({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
        "type ['string', 'null']",
    ),
    "unknown required": (with_schema({"type": "object", "required": ["a"]}), "no properties"),
    "not a number": (asked(temperature=float("nan")), "NaN"),
    "no limit": (asked(max_tokens=0), "max_tokens"),
    "options alone": (asked(stream_options={}), "only for a stream"),
    "shape that breaks the rules themselves": (asked(tools=[3]), "unreadable"),
}


@pytest.mark.parametrize(("body", "problem"), REFUSED.values(), ids=REFUSED.keys())
async def test_request_that_a_provider_refuses_gets_400_and_fails_the_test(
    body: object, problem: str
) -> None:
    endpoint = ModelEndpoint()
    with pytest.raises(AssertionError) as caught:
        async with endpoint:
            response = await post(endpoint, body)

    assert response.status_code == 400
    assert problem in str(caught.value)


async def test_request_beyond_the_script_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="no reply is scripted"):
        async with ModelEndpoint() as endpoint:
            await post(endpoint, asked())


async def test_reply_that_nobody_asked_for_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="1 scripted"):
        async with ModelEndpoint() as endpoint:
            endpoint.reply("x")


async def test_failure_of_the_test_itself_is_not_covered_up() -> None:
    async def failing_test() -> None:
        async with ModelEndpoint() as endpoint:
            endpoint.reply("x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await failing_test()


async def test_reply_comes_in_one_piece_or_as_a_stream() -> None:
    async with ModelEndpoint() as endpoint:
        endpoint.reply("Let me see.", Call("lookup", {"name": "Mara"}))
        endpoint.reply("Let me see.", Call("lookup", {"name": "Mara"}))

        whole = await post(endpoint, asked(tools=TOOLS))
        stream = await post(endpoint, asked(stream=True, stream_options={"include_usage": True}))

    message = whole.json()["choices"][0]["message"]
    assert (message["content"], whole.json()["choices"][0]["finish_reason"]) == ("Let me see.", "tool_calls")
    assert message["tool_calls"][0]["function"] == {"name": "lookup", "arguments": '{"name": "Mara"}'}
    events = stream.text.split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    assert json.loads(events[-3].removeprefix("data: "))["usage"]["total_tokens"] == 18


async def test_reply_can_depend_on_the_request() -> None:
    def echo(seen: Seen) -> str:
        return f"You said: {seen.messages[-1]['content']}"

    async with ModelEndpoint() as endpoint:
        endpoint.reply(echo)

        response = await post(endpoint, asked())

    assert response.json()["choices"][0]["message"]["content"] == "You said: Who is Mara?"


@pytest.mark.parametrize("held", [Reply(text="x", hold=0), Raw(body="x", hold=True)])
async def test_held_reply_waits_for_its_release(held: Reply | Raw) -> None:
    async with ModelEndpoint() as endpoint, asyncio.TaskGroup() as tasks:
        endpoint.reply(held)
        posting = tasks.create_task(post(endpoint, asked()))
        await endpoint.received(1)
        was_done = posting.done()
        endpoint.release()

        assert (await posting).status_code == 200
        assert not was_done


async def test_dropped_socket_and_missing_route_are_shown() -> None:
    async with ModelEndpoint() as endpoint, httpx.AsyncClient() as client:
        endpoint.reply(DROP)
        with pytest.raises(httpx.TransportError):
            await post(endpoint, asked())

        assert (await client.get(f"{endpoint.url}/nothing")).status_code == 404
        assert (await client.get(f"{endpoint.url}/models")).json()["data"][0]["id"] == "scripted"


@pytest.mark.parametrize(("is_good", "code"), [(True, 0), (False, 1)])
async def test_process_serves_a_script_and_ends_with_its_verdict(
    *, is_good: bool, code: int, tmp_path: Path
) -> None:
    script, port_file = tmp_path / "replies.json", tmp_path / "port"
    script.write_text(json.dumps([{"text": "Hello", "hold": 0}, {"status": 503, "body": "<html>"}]))
    args = ("-m", "tests.emulators.model_endpoint", "--script", str(script), "--port-file", str(port_file))
    process = await asyncio.create_subprocess_exec(sys.executable, *args, stderr=asyncio.subprocess.PIPE)
    async with asyncio.timeout(20), httpx.AsyncClient() as client:
        while not port_file.exists():  # noqa: ASYNC110  # another process makes it
            await asyncio.sleep(0.01)
        root = f"http://127.0.0.1:{port_file.read_text()}"
        first = asyncio.ensure_future(client.post(f"{root}/v1/chat/completions", json=asked()))
        while not (seen := (await client.get(f"{root}/seen")).json())["requests"]:
            pass
        await client.post(f"{root}/release")
        hello = (await first).json()["choices"][0]["message"]["content"]
        status = (await client.post(f"{root}/v1/chat/completions", json=asked())).status_code
        if not is_good:
            await client.post(f"{root}/v1/chat/completions", json=asked(result("a")))
        process.send_signal(signal.SIGTERM)
        _, complaint = await process.communicate()

    assert (hello, status, seen["left"]) == ("Hello", 503, 1)
    assert process.returncode == code
    assert (b"must be a response" in complaint) is not is_good
