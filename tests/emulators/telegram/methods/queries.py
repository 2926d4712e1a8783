"""Answers to presses of buttons and to what people type after the bot's name."""

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import ApiError, refused, wrong
from tests.emulators.telegram.methods.content import MAX_TEXT, checked_text, inline_keyboard
from tests.emulators.telegram.records import InlineQuery, Press, Toast
from tests.emulators.telegram.text import is_blank, units
from tests.emulators.telegram.wire import Json
from tests.emulators.telegram.world import QUERY_LIFE, World

MAX_TOAST = 200
MAX_RESULTS = 50


def answer_callback_query(world: World, call: Call) -> bool:
    """Let a pressed button stop spinning, with a toast or without."""
    call.passed_over("url", "cache_time")
    press = world.presses.get(call.text("callback_query_id"))
    if press is None:
        raise _too_old(is_wrong=True)
    _check_age(world, press)
    text = call.text("text")
    if units(text) > MAX_TOAST:
        raise wrong("MESSAGE_TOO_LONG")
    press.toast = Toast(text, call.flag("show_alert"))
    world.bell.ring()
    return True


def answer_inline_query(world: World, call: Call) -> bool:
    """Offer results for what somebody typed."""
    call.passed_over("next_offset", "button")
    query = world.inline_queries.get(call.text("inline_query_id"))
    if query is None:
        raise _too_old(is_wrong=True)
    _check_age(world, query)
    results = call.shapes("results")
    _check_results(results)
    query.results = results
    query.is_personal = call.flag("is_personal")
    cache_s = call.integer("cache_time")
    query.cache_s = 300 if cache_s is None else cache_s
    world.bell.ring()
    return True


def _check_age(world: World, query: Press | InlineQuery) -> None:
    if world.now() - query.at > QUERY_LIFE:
        raise _too_old()


def _too_old(*, is_wrong: bool = False) -> ApiError:
    text = "query is too old and response timeout expired or query ID is invalid"
    return wrong(text) if is_wrong else refused(text)


def _check_results(results: list[Json]) -> None:
    if len(results) > MAX_RESULTS:
        raise wrong("RESULTS_TOO_MUCH")
    ids = [str(result.get("id", "")) for result in results]
    if len(set(ids)) < len(ids):
        raise wrong("RESULT_ID_DUPLICATE")
    for result, number in zip(results, ids, strict=True):
        if not 1 <= len(number.encode()) <= 64:
            raise wrong("RESULT_ID_INVALID")
        _check_article(result)


def _check_article(result: Json) -> None:
    content = result.get("input_message_content", {})
    if result.get("type") != "article" or "message_text" not in content:
        raise wrong("this emulator takes inline results of the type article with a text only")
    if not result.get("title"):
        raise wrong("ARTICLE_TITLE_EMPTY")
    if content.get("parse_mode"):
        raise wrong("this emulator reads entities only, no parse_mode")
    text, _ = checked_text(content["message_text"], content.get("entities", []), MAX_TEXT, "MESSAGE_TOO_LONG")
    if is_blank(text):
        raise wrong("message text is empty")
    if "reply_markup" in result:
        inline_keyboard(result["reply_markup"])


METHODS = {"answerCallbackQuery": answer_callback_query, "answerInlineQuery": answer_inline_query}
