"""Cards in pages: nothing is lost, everything fits, and the way back and on is there."""

from hypothesis import given
from hypothesis import strategies as st

from adapters.cards import Action, Button, Card, Field, Line
from adapters.chat.paging import paged
from adapters.chat.press import MAX_LENGTH, press_ids, read_press

LIMIT = 60
texts = st.text("abc ", min_size=1, max_size=30)
lines = st.builds(Line, text=texts)
fields = st.lists(st.builds(Field, title=st.sampled_from(["One", "Two"]), lines=st.lists(lines).map(tuple)))
cards = st.builds(
    Card,
    title=st.just("Mara"),
    lines=st.lists(lines).map(tuple),
    fields=fields.map(tuple),
    footer=st.just(("as of 7",)),
    record=st.just("0c1f"),
)


def size(card: Card) -> int:
    own = [line.text for line in card.lines]
    own += [text for one in card.fields for text in (one.title, *(line.text for line in one.lines))]
    return sum(map(len, own))


def fits(card: Card) -> bool:
    return size(card) <= LIMIT


def content(card: Card) -> list[str]:
    return [line.text for line in card.lines] + [line.text for one in card.fields for line in one.lines]


def all_pages(card: Card) -> list[Card]:
    pages = [paged(card, 0, fits)]
    while any(button.label == "▶" for button in pages[-1].buttons):
        pages.append(paged(card, len(pages), fits))
    return pages


@given(cards)
def test_pages_hold_every_line_once_in_order_and_fit(card: Card) -> None:
    pages = all_pages(card)

    assert [text for page in pages for text in content(page)] == content(card)
    assert all(fits(page) or len(content(page)) == 1 for page in pages)
    assert all(page.title == "Mara" and page.footer[0] == "as of 7" for page in pages)


@given(cards, st.integers(-3, 99))
def test_page_that_is_not_there_is_the_nearest(card: Card, page: int) -> None:
    pages = all_pages(card)

    assert paged(card, page, fits) == pages[min(max(page, 0), len(pages) - 1)]


def test_small_card_stays_as_it_is() -> None:
    card = Card(title="Mara", lines=(Line(text="short"),), record="x")

    assert paged(card, 0, fits) == card


@given(st.lists(st.sampled_from([Action.SAVE, Action.ANSWER, Action.TOGGLE, Action.ANSWER]), max_size=30))
def test_buttons_of_one_card_carry_different_ids_that_are_read_back(actions: list[Action]) -> None:
    batch = "123e4567-e89b-42d3-a456-426614174000"
    buttons = [
        Button(action=action, label="x", batch=batch, line=place) for place, action in enumerate(actions)
    ]

    carried = [one for one, _ in press_ids(buttons)]

    assert len(set(carried)) == len(carried)
    assert all(len(one.encode("ascii")) <= MAX_LENGTH for one in carried)
    for one, action in zip(carried, actions, strict=True):
        press = read_press(one)
        assert press is not None
        assert (press.action, press.record) == (action, batch)


@given(st.text(max_size=80))
def test_what_is_not_ours_is_no_press(text: str) -> None:
    press = read_press(text)

    assert press is None or text.startswith("lk")
