"""No configured secret gets out, in whatever coding; what people wrote otherwise keeps its words."""

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_core.messages import Json
from agent_core.pipeline.redaction import (
    MASK,
    MIN_SECRET_CHARS,
    Redaction,
    holds_mask,
    is_secret_key,
)

SECRET = 'sk-Öl&"salt" +/\\413'
SECRETS = st.text(
    st.characters(codec="utf-8", exclude_characters="‹›"), min_size=MIN_SECRET_CHARS, max_size=40
)
SMALL = st.text("ab", min_size=MIN_SECRET_CHARS, max_size=14)


def encodings(secret: str) -> dict[str, str]:
    raw = secret.encode()
    return {
        "plain": secret,
        "JSON": json.dumps(secret)[1:-1],
        "JSON in JSON": json.dumps(json.dumps({"k": secret})),
        "JSON, not ASCII": json.dumps(secret, ensure_ascii=False)[1:-1],
        "percent": quote(secret, safe=""),
        "percent with slashes": quote(secret),
        "percent, small letters": re.sub("%..", lambda code: code[0].lower(), quote(secret)),
        "form": quote_plus(secret),
        "HTML": html.escape(secret),
        "hex": raw.hex(),
        "HEX": raw.hex().upper(),
        "base64": base64.b64encode(raw).decode(),
        "base64 behind one": base64.b64encode(b"u" + raw).decode(),
        "base64 in the middle": base64.b64encode(b"me:" + raw + b":more").decode(),
        "base64 for URLs": base64.urlsafe_b64encode(b"me" + raw).decode(),
    }


@pytest.mark.parametrize("coding", encodings(SECRET))
def test_configured_secret_is_found_in_every_coding(coding: str) -> None:
    """A18: plain, escaped, percent-, hex- and base64-coded, alone or inside something longer."""
    shown = Redaction([SECRET]).own(f"before {encodings(SECRET)[coding]} after")

    assert MASK in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert "salt" not in shown
    for alignment in range(3):
        piece = base64.b64encode(b"x" * alignment + SECRET.encode()).decode()[4:16]
        assert piece not in shown


@given(SECRETS, st.text(), st.text())
def test_no_secret_survives_in_text_or_json(secret: str, before: str, after: str) -> None:
    redaction = Redaction([secret, "another secret of ours"])
    value: Json = {secret: [before + secret + after, {"n": 1, "s": secret}], "same": json.dumps(secret)}

    shown = redaction.own_json(value)

    assert secret not in redaction.own(before + secret + after)
    assert secret not in json.dumps(shown, ensure_ascii=False)
    assert json.dumps(secret)[1:-1] not in json.dumps(shown)
    assert secret not in json.dumps(redaction.outside_json(value), ensure_ascii=False)


@given(st.lists(SMALL | SECRETS, min_size=1, max_size=4), st.data())
def test_streamed_text_reads_exactly_as_if_redacted_whole(secrets: list[str], data: st.DataObject) -> None:
    """Hold-back never leaks and loses nothing, with secrets that overlap or begin like each other."""
    redaction = Redaction(secrets)
    bits = st.lists(st.sampled_from([*secrets, *(s[:9] for s in secrets), "a", "b", "ab", "word "]))
    text = "".join(data.draw(bits))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))

    shown, held = "", ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        piece, held = redaction.streamed(held + text[start:end])
        shown += piece
        assert redaction.own(text).startswith(shown)
    assert shown + redaction.own(held) == redaction.own(text)


def test_stream_holds_back_from_the_start_of_an_open_candidate() -> None:
    redaction = Redaction(["correct-horse-battery"])

    assert redaction.streamed("the key is correct-ho") == ("the key is ", "correct-ho")
    assert redaction.streamed("correct-hosts") == ("correct-hosts", "")
    assert redaction.streamed("correct-horse-battery!") == (f"{MASK}!", "")
    assert Redaction().streamed("anything") == ("anything", "")


def test_beginning_of_a_text_ends_before_a_secret_that_the_cut_would_halve() -> None:
    redaction = Redaction(["correct-horse-battery"])
    text = "the key is correct-horse-battery and more"

    assert redaction.head(text, 25) == "the key is "
    assert redaction.head(text, 35) == f"the key is {MASK} an"
    assert redaction.head(text, 100) == f"the key is {MASK} and more"


def test_number_that_is_a_secret_is_masked() -> None:
    assert Redaction(["123456789012"]).own_json({"id": 123456789012, "n": 3}) == {"id": MASK, "n": 3}


def test_short_secret_and_password_of_a_character_are_canon() -> None:
    redaction = Redaction(["mellon", SECRET])

    assert redaction.own("Speak mellon and enter") == "Speak mellon and enter"
    assert redaction.own_json({"password": "open sesame"}) == {"password": "open sesame"}


TOKENS = {
    "bearer header": "Authorization: Bearer abc.def-ghi_jkl",
    "basic header": "basic bWU6c29tZXRoaW5nIGVsc2U=",
    "Telegram token": "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0",
    "Discord token": "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWsabcdef",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----",
    "private key cut off": "-----BEGIN PRIVATE KEY-----\nMIIEabc",
    "address with password": "https://user:pa55word@host/path",
    "webhook": "https://discord.com/api/webhooks/123456/AbC-dEf_ghi",
    "query": "https://x.example/?a=1&api_key=abcdef12345",
    "forge token": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "model key": "sk-proj-abcdefghijklmnop",
    "web token": "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
    "JSON inside text": 'body {"apiKey": "k1-secret", "n": 1}',
    "JSON inside JSON": '{\\"accessToken\\": \\"k1-secret\\"}',
}
GIVEN_AWAY = (
    "abc.def-ghi", "bWU6c29t", "AAHdqTcv", "ZnCjm1XV", "MIIEabc", "pa55word", "AbC-dEf", "abcdef12345",
    "ghp_abc", "sk-proj", "SflKxw", "k1-secret",
)  # fmt: skip


@pytest.mark.parametrize("kind", TOKENS)
def test_token_shapes_are_masked_in_what_comes_from_outside(kind: str) -> None:
    """A17: bearer header, bot token, private key, credentials in a URL, webhook."""
    shown = Redaction().outside(f"he said {TOKENS[kind]} , then left")

    assert MASK in shown
    assert not [piece for piece in GIVEN_AWAY if piece in shown]
    assert shown.startswith("he said ")
    assert "then left" in shown or "private key cut" in kind
    assert Redaction().own(TOKENS[kind]) == TOKENS[kind]


SECRET_KEYS = (
    "apiKey", "api_key", "API-KEY", "Authorization", "password", "X-Auth-Token", "clientSecret", "db.pwd",
    "webhookUrl", "botToken", "set-cookie", "privateKey", "credentials", "secretKey", "passphrase",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "The author wrote a token of love: a secret password.",
        "at 12:30:45 in b2:7.3, see scene 12345678:9",
        "https://example.org/path?page=2 and mailto:a@b.example",
        "sk-short, risk-averse-people-everywhere, task-1234567890123456789",
    ],
)
def test_prose_and_plain_addresses_stay(text: str) -> None:
    assert Redaction().outside(text) == text


@pytest.mark.parametrize("key", SECRET_KEYS)
def test_value_of_a_secret_key_is_masked_at_any_depth(key: str) -> None:
    """A18: snake, kebab, camel and header case."""
    assert is_secret_key(key)
    shown = Redaction().outside_json({"a": [{key: "k1"}, {key: {"inner": "k2"}}], key: "", "n": 1})

    assert shown == {"a": [{key: MASK}, {key: MASK}], key: "", "n": 1}


@pytest.mark.parametrize(
    "key", ["tokens", "prompt_tokens", "secretary", "keys", "monkey", "authority", "eyes"]
)
def test_other_keys_are_not_secret(key: str) -> None:
    assert not is_secret_key(key)


def test_mask_is_recognised_anywhere_in_arguments() -> None:
    assert holds_mask({"a": [{"b": f"x{MASK}"}]})
    assert holds_mask({MASK: 1})
    assert not holds_mask({"a": [1, None, "hidden"]})


@given(st.text())
def test_nothing_configured_changes_nothing(text: str) -> None:
    assume(text)
    redaction = Redaction(["short"])

    assert not redaction.knows_secrets
    assert redaction.own(text) is text
    assert redaction.own_json({"a": text}) == {"a": text}
