"""What Discord lets a bot put into a message: texts, embeds, mentions, files."""

from typing import Any, Final

from tests.emulators.discord.component_rules import check_components
from tests.emulators.discord.model import Json, MessageFlag
from tests.emulators.discord.refusal import Form, Refused

MOST_CHARACTERS: Final = 2000
_INVISIBLE: Final = "\u200b\u2060\ufeff\u200c\u200d"
_EMBED_TEXTS: Final = (("title", 256), ("description", 4096))
_SCHEMES: Final = ("http://", "https://", "attachment://")


def check_message(body: Json, *, prefix: str = "") -> None:
    """Refuse a message body that breaks a limit.

    Raises:
        Refused: 50035 with the fields that are wrong.
    """
    form = Form()
    _check_texts(form, body, prefix)
    _check_embeds(form, body.get("embeds") or [], prefix)
    _check_mentions(form, body.get("allowed_mentions"), prefix)
    is_v2 = bool(MessageFlag(_number(body.get("flags"))) & MessageFlag.COMPONENTS_V2)
    if body.get("components"):
        check_components(form, body["components"], f"{prefix}components", layout=is_v2)
    if is_v2 and (body.get("content") or body.get("embeds")):
        code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
        form.wrong(f"{prefix}content", code, "The field cannot be used with IS_COMPONENTS_V2")
    form.close()


def shown_text(content: object) -> str:
    """Return a message's text as Discord keeps it: without space around it.

    Raises:
        Refused: 50109, for half a surrogate pair.
    """
    text = content if isinstance(content, str) else ""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Refused(50109) from error
    return text.strip()


def is_empty(text: str) -> bool:
    """Return whether nothing of the text can be seen."""
    return not text.strip().strip(_INVISIBLE)


def _check_texts(form: Form, body: Json, prefix: str) -> None:
    content = body.get("content")
    if content is not None and not isinstance(content, str):
        form.wrong(f"{prefix}content", "STRING_TYPE_CONVERT", "Could not interpret as string.")
    form.at_most(f"{prefix}content", content if isinstance(content, str) else None, MOST_CHARACTERS)
    nonce = body.get("nonce")
    if nonce is not None:
        form.at_most(f"{prefix}nonce", str(nonce), 25)
    files = body.get("attachments")
    if files is not None:
        form.count(f"{prefix}attachments", files, 0, 10)


def _check_embeds(form: Form, embeds: Any, prefix: str) -> None:  # unchecked JSON
    path = f"{prefix}embeds"
    if not form.count(path, embeds, 0, 10):
        return
    total = 0
    for number, embed in enumerate(embeds):
        total += _check_embed(form, embed, f"{path}.{number}")
    if total > 6000:
        form.wrong(path, "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")


def _check_embed(form: Form, embed: Json, path: str) -> int:
    """Check one embed and return how many characters it has."""
    total = 0
    for key, most in _EMBED_TEXTS:
        form.at_most(f"{path}.{key}", embed.get(key), most)
        total += len(embed.get(key) or "")
    for key, inner, most in (("footer", "text", 2048), ("author", "name", 256)):
        text = (embed.get(key) or {}).get(inner) if embed.get(key) else None
        if embed.get(key):
            form.length(f"{path}.{key}.{inner}", text, 1, most)
        total += len(text or "")
    fields = embed.get("fields") or []
    form.count(f"{path}.fields", fields, 0, 25)
    for number, field in enumerate(fields):
        form.length(f"{path}.fields.{number}.name", field.get("name"), 1, 256)
        form.length(f"{path}.fields.{number}.value", field.get("value"), 1, 1024)
        total += len(field.get("name") or "") + len(field.get("value") or "")
    for key in ("url", "image", "thumbnail"):
        link = embed.get(key) if key == "url" else (embed.get(key) or {}).get("url")
        if link is not None and not str(link).startswith(_SCHEMES):
            place = f"{path}.{key}" if key == "url" else f"{path}.{key}.url"
            form.wrong(place, "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https').")
    if not any(
        embed.get(key) for key in ("title", "description", "fields", "image", "thumbnail", "footer", "author")
    ):
        form.wrong(f"{path}.description", "BASE_TYPE_REQUIRED", "This field is required")
    return total


def _check_mentions(form: Form, allowed: Json | None, prefix: str) -> None:
    if allowed is None:
        return
    path = f"{prefix}allowed_mentions"
    parse = allowed.get("parse") or []
    for kind in ("users", "roles"):
        named = allowed.get(kind) or []
        form.count(f"{path}.{kind}", named, 0, 100)
        if named and kind in parse:
            text = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            form.wrong(path, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", text)
    for number, kind in enumerate(parse):
        if kind not in ("users", "roles", "everyone"):
            form.wrong(f"{path}.parse.{number}", "BASE_TYPE_CHOICES", "Value must be one of the kinds.")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
