"""What `lorekeeper doctor` finds out about the model and the gateway before it."""

from urllib.parse import urlsplit

from agent_core.errors import ModelCause, ModelFailure
from agent_core.llm.endpoint import Endpoint
from agent_core.llm.listing import Listing, listed_models
from agent_core.llm.selftest import LEAST_TOKENS, can_call_tools, reads_long_requests
from agent_core.texts import say
from bot.setting_kinds import variable
from bot.settings import Settings
from bot.wiring import open_model

_OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_AWAY = frozenset({ModelCause.UNAVAILABLE, ModelCause.TIMEOUT})


async def proven_model(settings: Settings) -> tuple[bool, str]:
    """Return whether the configured model does for conversations, and a sentence about it.

    It has to call tools. One on this machine also has to read enough at once; elsewhere that costs money.

    Raises:
        ModelTrouble: it gave no answer, with a sentence about who is at fault and what to do.
    """
    told = {"model": settings.model or "", "url": settings.model_base_url or ""}
    try:
        async with open_model(settings) as model:
            calls = await can_call_tools(model)
            reads = not calls or not _is_here(settings) or await reads_long_requests(model)
    except ModelFailure as failure:
        raise ModelTrouble(await explained(settings, failure)) from failure
    if not reads:
        return False, say(settings.language, "gateway.short", tokens=LEAST_TOKENS, **told)
    return calls, say(settings.language, "gateway.fine" if calls else "cli.doctor_no_tools", **told)


class ModelTrouble(Exception):
    """The model gave no answer; the text is for people."""


async def explained(settings: Settings, failure: ModelFailure) -> str:
    """Return who is at fault: the address, the key, the name, or what stands behind a gateway."""
    model, url = settings.model or "", settings.model_base_url or ""
    listing = await listed_models(Endpoint(url, model, settings.model_api_key))
    if failure.cause is ModelCause.AUTH and (await listed_models(Endpoint(url, model))).names is not None:
        listing = Listing()  # whoever shows its models to everybody does not tell by it what our key is worth
    key = _key(failure.cause, model, listing)
    if key is None:
        return say(settings.language, failure.text_key, **failure.facts)
    return say(
        settings.language,
        f"gateway.{key}",
        model=model,
        url=url,
        names=", ".join(listing.like(model)),
        address_variable=variable("model_base_url"),
        model_variable=variable("model"),
        key_variable=variable("model_api_key"),
    )


def _is_here(settings: Settings) -> bool:
    return urlsplit(settings.model_base_url or "").hostname in _OWN_NAMES


def _key(cause: ModelCause, model: str, listing: Listing) -> str | None:
    """Return the key of a sentence that says more than the failure does, if there is one."""
    answers = listing.names is not None
    if cause is ModelCause.AUTH:
        return "key_behind" if answers else "key"
    if answers and model not in (listing.names or ()) and cause is ModelCause.NOT_FOUND:
        return "unknown"
    if cause is ModelCause.NOT_FOUND:
        return "unknown_behind" if answers else "address"
    if cause in _AWAY:
        return "away_behind" if answers else "away" if listing.status is None else None
    return None
