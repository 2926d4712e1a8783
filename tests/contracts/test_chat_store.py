"""Every `ChatStore` finds again after a restart what chat platforms need."""

from dataclasses import replace
from datetime import timedelta

from agent_core.conversation.model import Conversation, Followup, Overheard, ShownCard, card_state
from agent_core.messages import ChatMessage, Role
from agent_core.people.model import Admission, Door
from agent_core.pipeline.model import BatchStatus
from agent_core.turn.model import DELETED, Incoming, Step, Turn, TurnStatus
from tests.clock import NOON
from tests.contracts.conftest import Installation, Stores
from tests.contracts.test_pipeline_store import batch

OPEN = card_state("open", "d1", settled=False)
SHOWN = ShownCard(platform="discord", ref="7/70", batch="b1", place="7", state=OPEN)
SAID = Overheard(conversation="c1", message="m1", speaker="Ann", text="It rains.", at=NOON)
TURN = Turn(
    id="t1",
    conversation="c1",
    requester="p1",
    started=NOON,
    status=TurnStatus.DONE,
    bound="author",
    language="en",
    text="Is she grey-eyed?",
    context="Ann: I live at 12 Elm Road.",
    answer="You said 12 Elm Road.",
)
INCOMING = Incoming(
    platform="discord",
    update="u1",
    message="m1",
    person="p1",
    conversation="c1",
    text="Is she grey-eyed?",
    at=NOON,
    context="Ann: I live at 12 Elm Road.",
)


async def test_card_is_found_by_its_message_after_a_restart(
    stores: Stores, installation: Installation
) -> None:
    await stores.pipeline.add_batch(batch(), ())
    await stores.chat.card_shown(SHOWN)
    again = await installation.start()

    assert await again.chat.card_at("discord", "7/70") == SHOWN
    assert await again.chat.card_at("telegram", "7/70") is None
    assert await again.chat.cards_of("b1") == (SHOWN,)


async def test_card_is_stale_once_its_batch_was_decided_elsewhere(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), ())
    await stores.chat.card_shown(SHOWN)
    assert await stores.chat.stale_cards("discord", 10) == ()

    await stores.pipeline.decide(
        "b1", BatchStatus.DECLINED, digest="d1", by="p2", at=NOON, chosen=frozenset()
    )

    assert await stores.chat.stale_cards("discord", 10) == (SHOWN,)
    assert await stores.chat.stale_cards("telegram", 10) == ()
    decided = replace(SHOWN, state=card_state("declined", "d1", settled=False))
    await stores.chat.card_shown(decided)
    assert await stores.chat.stale_cards("discord", 10) == ()


async def test_message_that_is_gone_shows_no_card(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), ())
    await stores.chat.card_shown(SHOWN)

    await stores.chat.card_gone("discord", "7/70")

    assert await stores.chat.card_at("discord", "7/70") is None


async def test_what_was_overheard_is_bounded_and_in_order(stores: Stores) -> None:
    for minute in range(5):
        said = replace(SAID, message=f"m{minute}", at=NOON + timedelta(minutes=minute))
        await stores.chat.overhear(said, keep=3)

    found = await stores.chat.overheard("c1", None)
    assert [said.message for said in found] == ["m2", "m3", "m4"]
    later = await stores.chat.overheard("c1", NOON + timedelta(minutes=3))
    assert [said.message for said in later] == ["m4"]
    assert await stores.chat.overheard("c2", None) == ()


async def test_edited_message_is_read_as_edited_everywhere(stores: Stores) -> None:
    await stores.turns.receive(INCOMING, TURN)
    await stores.chat.overhear(replace(SAID, message="m2"), keep=3)

    assert await stores.chat.amend("c1", "m1", "Is she green-eyed?") == "t1"
    assert await stores.chat.amend("c1", "m2", "It pours.") is None

    turn = await stores.turns.turn("t1")
    assert turn is not None
    assert (turn.text, turn.answer) == ("Is she green-eyed?", TURN.answer)
    assert await stores.turns.said("c1", "p1", "m1") == "Is she green-eyed?"
    assert [said.text for said in await stores.chat.overheard("c1", None)] == ["It pours."]


async def test_deleted_message_leaves_neither_its_text_nor_what_quoted_it(stores: Stores) -> None:
    """C29: a tombstone stays."""
    await stores.turns.receive(INCOMING, TURN)
    step = Step(turn="t1", seq=0, message=ChatMessage(role=Role.ASSISTANT, content="12 Elm Road"))
    await stores.turns.save(TURN, (step,))
    await stores.chat.overhear(replace(SAID, message="m2"), keep=3)

    await stores.chat.amend("c1", "m1", None)
    await stores.chat.amend("c1", "m2", None)

    turn = await stores.turns.turn("t1")
    assert turn is not None
    assert (turn.text, turn.answer, turn.context) == (DELETED, "", "")
    assert await stores.turns.steps(["t1"]) == ()
    assert await stores.turns.said("c1", "p1", "m1") == DELETED
    assert await stores.chat.overheard("c1", None) == ()


async def test_edit_outlives_the_next_save_of_its_running_turn(stores: Stores) -> None:
    running = replace(TURN, status=TurnStatus.RUNNING, answer="")
    await stores.turns.receive(INCOMING, running)
    await stores.chat.amend("c1", "m1", "Is she green-eyed?")

    await stores.turns.save(replace(running, replies=1))

    turn = await stores.turns.turn("t1")
    assert turn is not None
    assert (turn.text, turn.replies) == ("Is she green-eyed?", 1)


async def test_followup_is_kept_until_its_time_is_over(stores: Stores) -> None:
    old = Followup(id="f1", conversation="c1", person="p1", body={"tool": "why"}, at=NOON)
    new = replace(old, id="f2", at=NOON + timedelta(days=40))

    await stores.chat.follow_up(old, forget_before=NOON)
    assert await stores.chat.followup("f1") == old

    await stores.chat.follow_up(new, forget_before=NOON + timedelta(days=10))
    assert await stores.chat.followup("f1") is None
    assert await stores.chat.followup("f2") == new


async def test_note_is_replaced_under_its_key(stores: Stores) -> None:
    await stores.chat.note("discord", "commands", "1f")
    await stores.chat.note("discord", "commands", "2e")

    assert await stores.chat.noted("discord", "commands") == "2e"
    assert await stores.chat.noted("telegram", "commands") is None


async def test_moved_group_takes_all_its_topics_along(stores: Stores) -> None:
    """C11: all rows move to the new id in one step, once."""
    for number, place in enumerate(("-4001", "-4001:7", "-40011", "-100")):
        new = Conversation(id=f"c{number}", platform="telegram", place=place, private=False, series="oz")
        await stores.conversations.conversation_at(new)

    assert await stores.chat.move_places("telegram", "-4001", "-100") == 2
    assert await stores.chat.move_places("telegram", "-4001", "-100") == 0

    places = {one.id: one.place for one in await stores.chat.places("telegram")}
    assert (places["c0"], places["c1"], places["c2"]) == ("-100", "-100:7", "-40011")
    assert places["c3"].startswith("-100 ")


async def test_moved_group_stays_let_in(stores: Stores) -> None:
    await stores.operators.set_admission(Admission("telegram", Door.CHAT, "-4001"), admitted=True)

    await stores.chat.move_places("telegram", "-4001", "-100")

    assert await stores.operators.admissions("telegram") == (Admission("telegram", Door.CHAT, "-100"),)


async def test_places_are_those_with_a_book(stores: Stores) -> None:
    linked = Conversation(id="c1", platform="discord", place="7", private=False, series="oz")
    await stores.conversations.conversation_at(linked)
    await stores.conversations.conversation_at(replace(linked, id="c2", place="8", series=None))

    assert await stores.chat.places("discord") == (linked,)
