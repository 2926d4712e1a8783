"""What `lorekeeper doctor` says of a model, and of the gateway before it, when it gives no answer."""

from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import httpx
import pytest
from pydantic import SecretStr

from agent_core.llm.listing import listed_models
from agent_core.llm.openai import Endpoint
from agent_core.texts import LANGUAGES, load
from bot.cli.model_check import ModelTrouble, proven_model
from bot.settings import Settings
from tests.emulators.http1 import HttpRequest, Response, serve
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw, Reply
from tests.emulators.model_replies import error_body

LISTED = "scripted"  # the one model that the endpoint lists
PONG = Call("ping", {"word": "pong"})
NOT_FOUND = Raw(404, error_body("The model does not exist"))


@pytest.fixture(autouse=True)
def texts() -> None:
    """A command reads them as it likes; here an event loop is watched."""
    for language in LANGUAGES:
        load(language)


def settings(folder: Path, url: str, model: str = LISTED, language: Literal["en", "de"] = "en") -> Settings:
    return Settings(
        data_dir=folder, time_zone=ZoneInfo("UTC"), language=language, model=model, model_base_url=url
    )


async def test_model_that_calls_a_tool_is_fine(tmp_path: Path) -> None:
    async with ModelEndpoint() as endpoint:
        endpoint.reply(PONG)
        endpoint.reply(Reply(text="Words.", usage=(6_020, 2)))
        found = await proven_model(settings(tmp_path, endpoint.url))

    assert found == (True, f"scripted · {endpoint.url} · calls tools")


@pytest.mark.parametrize(
    "cut",
    [
        Reply(text="Words.", usage=(4_096, 2)),
        Raw(400, error_body("the request exceeds the available context size")),
    ],
    ids=["silently", "refused"],
)
async def test_model_on_this_machine_that_reads_too_little_is_told(cut: Reply | Raw, tmp_path: Path) -> None:
    """Ollama cuts off what is longer than 4,096 tokens, unless told otherwise."""
    async with ModelEndpoint() as endpoint:
        endpoint.reply(PONG)
        endpoint.reply(cut)
        fine, said = await proven_model(settings(tmp_path, endpoint.url))

    assert not fine
    assert "reads fewer than 6,000 tokens at once" in said


@pytest.mark.parametrize(
    ("answers", "model", "path", "said"),
    [
        ([Raw(401, error_body("no"))], LISTED, "/v1", "refuses the key in LOREKEEPER_MODEL_API_KEY"),
        ([NOT_FOUND], "skripted", "/v1", "has no model skripted; what it has: scripted."),
        ([NOT_FOUND], LISTED, "/v1", "lists scripted, but it can’t be found where the gateway looks"),
        ([], LISTED, "/v2", "is not the address of a model. Correct LOREKEEPER_MODEL_BASE_URL"),
        ([Raw(400, error_body("no"))], LISTED, "/v1", "The model could not make sense of what it was sent."),
        pytest.param(
            [Raw(503, "<html>")] * 3, LISTED, "/v1", "answers, but the model behind scripted doesn’t",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["key, public list", "unknown", "unknown behind", "address", "something else", "away behind"],
)  # fmt: skip
async def test_who_is_at_fault_is_told(
    answers: list[Raw], model: str, path: str, said: str, tmp_path: Path
) -> None:
    async with ModelEndpoint() as endpoint:
        for answer in answers:
            endpoint.reply(answer)
        with pytest.raises(ModelTrouble) as trouble:
            await proven_model(settings(tmp_path, endpoint.url.replace("/v1", path), model))

    assert said in str(trouble.value)


@pytest.mark.slow
async def test_nobody_there_is_told(tmp_path: Path) -> None:
    async with ModelEndpoint() as endpoint:
        url = endpoint.url
    with pytest.raises(ModelTrouble) as trouble:
        await proven_model(settings(tmp_path, url, language="de"))

    assert str(trouble.value) == f"{url} ist von hier nicht zu erreichen"


async def test_refused_key_is_told_where_the_gateway_lists_nothing_either(tmp_path: Path) -> None:
    async def refuse(_: HttpRequest, response: Response) -> None:
        body = b'{"error": {"message": "No connected db.", "type": "no_db_connection"}}'
        await response.send(400, {"content-type": "application/json"}, body)

    async with serve(refuse) as port:
        with pytest.raises(ModelTrouble) as trouble:
            await proven_model(settings(tmp_path, f"http://127.0.0.1:{port}/v1"))

    assert str(trouble.value).endswith("refuses the key in LOREKEEPER_MODEL_API_KEY")


async def test_gateway_that_takes_our_key_is_not_blamed_for_that_of_the_provider(tmp_path: Path) -> None:
    async def answer(request: HttpRequest, response: Response) -> None:
        is_listed = request.method == "GET" and request.headers.get("authorization") == "Bearer key"
        body = b'{"data": [{"id": "scripted"}]}' if is_listed else b'{"error": {"message": "no"}}'
        await response.send(200 if is_listed else 401, {"content-type": "application/json"}, body)

    async with serve(answer) as port:
        told = settings(tmp_path, f"http://127.0.0.1:{port}/v1")
        with pytest.raises(ModelTrouble) as trouble:
            await proven_model(told.model_copy(update={"model_api_key": SecretStr("key")}))

    assert "takes your key, but the provider behind scripted refuses" in str(trouble.value)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'{"data": [{"id": "models/gemini-x", "object": "model"}]}', ("gemini-x",)),
        (b'{"data": []}', ()),
        (b'{"models": ["x"]}', None),
        (b"<html>", None),
        (b"\xff", None),
    ],
)
async def test_list_is_read_whatever_comes(body: bytes, names: tuple[str, ...] | None) -> None:
    seen: list[HttpRequest] = []

    async def answer(request: HttpRequest, response: Response) -> None:
        seen.append(request)
        await response.send(200, {}, body)

    async with serve(answer) as port:
        listing = await listed_models(Endpoint(f"http://127.0.0.1:{port}/v1/", "m", SecretStr("key")))

    assert (listing.names, listing.status) == (names, httpx.codes.OK)
    assert (seen[0].path, seen[0].headers["authorization"]) == ("/v1/models", "Bearer key")


async def test_few_likely_names_are_shown_of_the_hundreds_of_a_wildcard() -> None:
    async def answer(_: HttpRequest, response: Response) -> None:
        names = ["writer-model", *(f"openai/{number}" for number in range(300))]
        listed = ",".join(f'{{"id": "{name}"}}' for name in names)
        await response.send(200, {}, f'{{"data": [{listed}]}}'.encode())

    async with serve(answer) as port:
        listing = await listed_models(Endpoint(f"http://127.0.0.1:{port}/v1", "m"))

    assert listing.like("writer-modle") == ("writer-model",)


@pytest.mark.parametrize(("url", "key"), [("http://[x/v1", ""), ("http://127.0.0.1:1/v1", "“key”")])
async def test_address_or_key_that_nothing_can_be_asked_with_gives_no_list(url: str, key: str) -> None:
    listing = await listed_models(Endpoint(url, "m", SecretStr(key)))

    assert (listing.status, listing.names) == (None, None)
