"""Texts as the Telegram emulator keeps them: trimmed, entities within them and in order."""

from hypothesis import given
from hypothesis import strategies as st

from tests.emulators.telegram.text import formatted, is_blank, noticed, units

_TEXTS = st.text(st.sampled_from("ab \n\t🐉é"), min_size=1, max_size=30)


@given(_TEXTS, st.data())
def test_kept_entities_mark_the_same_text_in_order(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    offset, length = units(text[:start]), units(text[start:end])

    kept, entities = formatted(text, [{"type": "bold", "offset": offset, "length": length}])

    assert kept == text.strip(" \n\t")
    raw = kept.encode("utf-16-le")
    marked = [raw[one.offset * 2 : (one.offset + one.length) * 2].decode("utf-16-le") for one in entities]
    assert "".join(marked).strip(" \n\t") == text[start:end].strip(" \n\t")


@given(st.text(st.sampled_from("/@ab_ 🐉."), max_size=30))
def test_noticed_commands_and_mentions_stand_in_the_text(text: str) -> None:
    raw = text.encode("utf-16-le")
    for entity in noticed(text):
        part = raw[entity.offset * 2 : (entity.offset + entity.length) * 2].decode("utf-16-le")
        assert part[0] == {"bot_command": "/", "mention": "@"}[entity.type]
        assert " " not in part


def test_text_of_invisible_characters_is_blank() -> None:
    """C38."""
    assert is_blank("\u200b\u2060\ufeff \n")
    assert not is_blank("\u200b.")
