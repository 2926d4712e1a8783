"""What a call says: texts with entities, and keyboards, within Telegram's limits."""

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import wrong
from tests.emulators.telegram.records import Button, Entity, Keyboard
from tests.emulators.telegram.text import formatted, is_blank, units
from tests.emulators.telegram.wire import Json

MAX_TEXT = 4096
MAX_CAPTION = 1024
MAX_DATA_BYTES = 64
MAX_BUTTONS = 100


def text_of(call: Call) -> tuple[str, tuple[Entity, ...]]:
    """Return the text of a message, which must not be empty."""
    text, entities = draft_text_of(call)
    if is_blank(text):
        raise wrong("message text is empty")
    return text, entities


def draft_text_of(call: Call) -> tuple[str, tuple[Entity, ...]]:
    """Return a text that may be empty."""
    return _within(call, "text", "entities", MAX_TEXT, "message is too long")


def caption_of(call: Call) -> tuple[str, tuple[Entity, ...]]:
    """Return a caption."""
    return _within(call, "caption", "caption_entities", MAX_CAPTION, "message caption is too long")


def checked_text(
    text: str, entities: list[Json], limit: int, too_long: str
) -> tuple[str, tuple[Entity, ...]]:
    """Return text and entities as they are kept."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise wrong("strings must be encoded in UTF-8")
    kept, marks = formatted(text, entities)
    if units(kept) > limit:
        raise wrong(too_long)
    return kept, marks


def keyboard_of(call: Call) -> tuple[Keyboard, Json]:
    """Return the inline keyboard, and any other markup (force_reply and the like) as it came."""
    markup = call.shape("reply_markup")
    if "inline_keyboard" in markup:
        return inline_keyboard(markup), {}
    placeholder = str(markup.get("input_field_placeholder", ""))
    if len(placeholder) > 64:
        raise wrong("reply markup placeholder is too long")
    return (), markup


def inline_keyboard(markup: Json) -> Keyboard:
    """Return the keyboard in a reply_markup."""
    rows = tuple(tuple(_button(button) for button in row) for row in markup["inline_keyboard"])
    if sum(map(len, rows)) > MAX_BUTTONS:
        raise wrong("reply markup is too long")
    return tuple(row for row in rows if row)


def _within(call: Call, name: str, marks: str, limit: int, too_long: str) -> tuple[str, tuple[Entity, ...]]:
    if call.text("parse_mode"):
        raise wrong("this emulator reads entities only, no parse_mode")
    return checked_text(call.text(name), call.shapes(marks), limit, too_long)


def _button(shape: Json) -> Button:
    text, data = str(shape.get("text", "")), shape.get("callback_data")
    more = {name: value for name, value in shape.items() if name not in ("text", "callback_data")}
    if is_blank(text):
        raise wrong("inline keyboard button text must be non-empty")
    if data is None:
        if not set(more) - {"style", "icon_custom_emoji_id"}:
            raise wrong("text buttons are unallowed in the inline keyboard")
        return Button(text, "", more)
    if not 1 <= len(str(data).encode()) <= MAX_DATA_BYTES:
        raise wrong("BUTTON_DATA_INVALID")
    return Button(text, str(data), more)
