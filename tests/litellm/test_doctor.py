"""What `lorekeeper doctor` says of the real proxy, set up by the configuration that we ship."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pydantic import SecretStr

from agent_core.texts import load
from bot.cli.model_check import ModelTrouble, proven_model
from bot.settings import Settings
from tests.emulators.gemini import GeminiEndpoint, GeminiError, GeminiReply
from tests.litellm_server import Proxy

pytestmark = pytest.mark.litellm


@pytest.fixture(autouse=True)
def texts() -> None:
    """A command reads them as it likes; here an event loop is watched."""
    load("en")


def settings(folder: Path, proxy: Proxy, model: str = "writer-model", key: str = "") -> Settings:
    return Settings(
        data_dir=folder,
        language="en",
        time_zone=ZoneInfo("UTC"),
        model=model,
        model_base_url=proxy.url,
        model_api_key=SecretStr(key or proxy.key),
    )


async def test_shipped_model_is_fine(tmp_path: Path, proxy: Proxy, gemini: GeminiEndpoint) -> None:
    gemini.reply(
        GeminiReply("", [("ping", {"word": "pong"})], "c2lnbg=="), GeminiReply("Words.", usage=(6_020, 2))
    )

    assert await proven_model(settings(tmp_path, proxy)) == (
        True,
        f"writer-model · {proxy.url} · calls tools",
    )


async def test_model_that_answers_in_prose_is_told(
    tmp_path: Path, proxy: Proxy, gemini: GeminiEndpoint
) -> None:
    gemini.reply("Pong!")

    calls_tools, said = await proven_model(settings(tmp_path, proxy))

    assert not calls_tools
    assert "can’t call tools" in said


@pytest.mark.parametrize(
    ("model", "key", "said"),
    [
        ("writer-model", "sk-wrong", "refuses the key in LOREKEEPER_MODEL_API_KEY"),
        ("writer-modle", "", "has no model writer-modle; what it has: writer-model."),
    ],
)
async def test_wrong_key_and_wrong_name_are_told_apart(
    model: str, key: str, said: str, tmp_path: Path, proxy: Proxy
) -> None:
    with pytest.raises(ModelTrouble) as trouble:
        await proven_model(settings(tmp_path, proxy, model, key))

    assert said in str(trouble.value)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            GeminiError(400, "API key not valid. Please pass a valid API key."),
            "but the provider behind writer-model refuses",
        ),
        (GeminiError(404, "models/x is not found", "NOT_FOUND"), "where the gateway looks for it"),
    ],
)
async def test_fault_of_gemini_is_not_taken_for_one_of_the_proxy(
    error: GeminiError, said: str, tmp_path: Path, proxy: Proxy, gemini: GeminiEndpoint
) -> None:
    gemini.reply(error)

    with pytest.raises(ModelTrouble) as trouble:
        await proven_model(settings(tmp_path, proxy))

    assert said in str(trouble.value)
