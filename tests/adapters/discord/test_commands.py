"""Slash commands, completions, menus and forms on Discord."""

import sqlite3
from contextlib import closing

import pytest

from adapters.discord.menu import FORMS
from adapters.discord.rooms import DiscordRooms
from agent_core.people.model import SeriesRole
from bot.desks import desk_for
from tests.adapters.discord.hall import Hall, open_hall, serving
from tests.emulators.discord import Discord, Refuse
from tests.emulators.model_endpoint import Call
from tests.house import House


@pytest.fixture
async def listed(hall: Hall) -> Hall:
    await hall.until_listed()
    return hall


async def test_only_start_and_help_are_known_where_nobody_let_us_in(listed: Hall) -> None:
    assert set(listed.discord.commands()) == {"start", "help"}
    other = listed.discord.guild("Strangers", listed.ana)
    await listed.ask("/help")
    assert listed.discord.commands(other.id) == {}


async def test_server_lists_every_command_in_three_languages(listed: Hall) -> None:
    names = set(listed.discord.commands(listed.guild.id))
    assert names >= {form.name.partition(" ")[0] for form in FORMS} - {"start", "help"}
    lore = listed.discord.commands(listed.guild.id)["lore"].body
    assert lore["description"] == "shows an entry"
    assert lore["description_localizations"]["de"] == "zeigt einen Eintrag"
    assert set(lore["description_localizations"]) >= {"de", "fr"}
    assert lore["options"][0]["name"] == "entity"
    assert lore["options"][0]["required"]


async def test_commands_are_sent_only_when_they_changed(listed: Hall) -> None:
    sent = len(listed.discord.asked("PUT", "/commands"))
    assert sent == 2
    await listed.stop()
    rooms = DiscordRooms()
    async with serving(desk_for(listed.house.app, rooms), rooms, listed.discord):
        listed.house.endpoint.reply("Here.")
        await listed.ask("are you there?")
    assert len(listed.discord.asked("PUT", "/commands")) == sent


async def test_entry_card_has_buttons_that_go_on(listed: Hall) -> None:
    shown = await listed.discord.answered(
        listed.discord.slash(listed.ana, listed.channel, "lore", entity="Mara")
    )
    assert shown.embeds[0]["title"].startswith("Mara")
    assert not shown.ephemeral
    earlier = [label for label in listed.discord.labels(shown) if label.startswith("Earlier")]
    assert earlier
    listed.discord.click(listed.ana, shown, earlier[0])
    await listed.discord.until(
        lambda: len(shown.versions) > 1 and earlier[0] not in listed.discord.labels(shown)
    )


async def test_private_answer_is_seen_by_one(listed: Hall) -> None:
    asked = listed.discord.slash(listed.ana, listed.channel, "lore", entity="Mara", private=True)
    assert (await listed.discord.answered(asked)).ephemeral


async def test_ambiguous_name_is_chosen_never_guessed(listed: Hall) -> None:
    """C21: both Maras can be opened."""
    await listed.house.write(
        "create_lore_entity", type="location", name="Mara", disambiguator="the inn", staticTraits={}
    )
    asked = listed.discord.slash(listed.ana, listed.channel, "lore", entity="Mara")
    which = await listed.discord.answered(asked)
    labels = listed.discord.labels(which)
    assert len(labels) == 2
    listed.discord.click(listed.ana, which, labels[1])
    await listed.discord.until(lambda: which.embeds[0]["title"].startswith("Mara"))


async def test_question_is_shown_and_answered_below(listed: Hall) -> None:
    listed.house.endpoint.reply("Green.")
    asked = listed.discord.slash(listed.ana, listed.channel, "ask", question="what are her eyes?")
    shown = await listed.discord.answered(asked)
    assert shown.content == "> what are her eyes?"
    answer = await listed.discord.reply(shown)
    await listed.discord.until(lambda: answer.content == "Green.")


async def test_complete_record_is_done_at_once(listed: Hall) -> None:
    options = {"entity": "Mara", "facts": "coat=blue", "from_": "1.1"}
    asked = listed.discord.slash(listed.ana, listed.channel, "record", **options)
    card = await listed.discord.answered(asked)
    assert card.embeds[0]["title"].startswith("Saved, edit no.")
    assert listed.discord.labels(card) == ["Take back"]
    assert await listed.known("coat") == "blue"


async def test_incomplete_record_asks_and_its_card_takes_reactions(listed: Hall) -> None:
    asked = listed.discord.slash(listed.ana, listed.channel, "record", entity="Mara", facts="coat=blue")
    card = await listed.discord.answered(asked)
    await listed.discord.until(lambda: listed.discord.reacted(card, "❌"))
    listed.discord.react(listed.ana, card, "✅")
    await listed.changes(card, "Saved, edit no.")


async def test_retcon_takes_back(listed: Hall) -> None:
    options = {"entity": "Mara", "facts": "eyes=grey"}
    asked = listed.discord.slash(listed.ana, listed.channel, "retcon", **options)
    card = await listed.discord.answered(asked)
    await listed.save(card)
    await listed.changes(card, "Saved, edit no.")
    assert await listed.known("eyes") == "grey"
    undone = await listed.discord.answered(listed.discord.slash(listed.ana, listed.channel, "undo"))
    await listed.discord.until(lambda: undone.embeds)
    assert await listed.known("eyes") == "green"


READS: tuple[tuple[str, dict[str, str]], ...] = (
    ("search", {"text": "harbour"}),
    ("state", {"entity": "Mara", "at": "1.1", "when": "end"}),
    ("timeline", {"order": "story"}),
    ("history", {}),
    ("why", {"entity": "Mara", "detail": "eyes"}),
    ("scene read", {"position": "1.1"}),
    ("scene list", {}),
    ("book contents", {}),
    ("loose", {}),
    ("members list", {}),
    ("access list", {}),
    ("cost", {}),
    ("settings", {}),
    ("help", {}),
    ("cancel", {}),
    ("new", {}),
)


async def test_commands_work_without_a_model(listed: Hall) -> None:
    for name, options in READS:
        asked = listed.discord.slash(listed.ana, listed.channel, name, **options)
        shown = await listed.discord.answered(asked)
        await listed.discord.until(lambda shown=shown: shown.embeds or shown.content, because=name)  # type: ignore[misc]  # of a lambda
    assert listed.house.endpoint.requests == []


async def test_wrong_option_is_explained(listed: Hall) -> None:
    asked = listed.discord.slash(listed.ana, listed.channel, "state", entity="Mara", at="chapter nine")
    shown = await listed.discord.answered(asked)
    assert shown.content


async def test_completion_offers_names_places_and_details(listed: Hall) -> None:
    names = await listed.discord.autocomplete(
        listed.ana, listed.channel, "lore", focus="entity", entity="mar"
    )
    assert [choice.value for choice in names] == ["Mara"]
    places = await listed.discord.autocomplete(
        listed.ana, listed.channel, "state", focus="at", entity="Mara", at="1"
    )
    assert "1.1" in [choice.value for choice in places]
    details = await listed.discord.autocomplete(
        listed.ana, listed.channel, "why", focus="detail", entity="Mara", detail="e"
    )
    assert "eyes" in [choice.value for choice in details]


async def test_completion_of_a_reader_tells_nothing_beyond_their_progress(listed: Hall) -> None:
    gus = listed.discord.user("Gus")
    listed.discord.join(listed.guild, gus)
    await listed.join(gus, SeriesRole.READER, "1")
    await listed.house.write(
        "create_lore_entity", type="character", name="Marten", staticTraits={}, toldAt="2.2"
    )
    names = await listed.discord.autocomplete(gus, listed.channel, "lore", focus="entity", entity="mar")
    assert [choice.value for choice in names] == ["Mara"]


async def test_completions_that_come_too_late_leave_no_trace_in_the_log(
    listed: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    """C20 and C43: no traceback, no token; the newest request is answered."""
    listed.discord.expects(10062)
    listed.discord.fault("POST", "*/callback", Refuse(10062))
    late = listed.discord.suggest(listed.ana, listed.channel, "lore", focus="entity", entity="m")
    await listed.discord.until(lambda: [one for one in listed.discord.requests if one.code == 10062])
    names = await listed.discord.autocomplete(
        listed.ana, listed.channel, "lore", focus="entity", entity="mar"
    )
    assert [choice.value for choice in names] == ["Mara"]
    assert late.choices is None
    assert "Traceback" not in caplog.text
    assert late.token not in caplog.text


async def test_typing_on_drops_earlier_requests(listed: Hall) -> None:
    """C20: `m`, `ma`, `mar` within a moment."""
    asked = [
        listed.discord.suggest(listed.ana, listed.channel, "lore", focus="entity", entity=typed)
        for typed in ("m", "ma", "mar")
    ]
    await listed.discord.until(lambda: asked[-1].choices is not None)
    assert [choice.value for choice in asked[-1].choices or []] == ["Mara"]


async def test_answer_after_the_token_died_is_a_normal_message(listed: Hall) -> None:
    """C08: the write ran once, and the 401 does not stop the bot."""
    listed.discord.expects(50027)
    listed.discord.fault("PATCH", "*/messages/@original", Refuse(50027, status=401))
    before = len(listed.discord.from_bot(listed.channel))
    options = {"entity": "Mara", "facts": "coat=blue", "from_": "1.1"}
    listed.discord.slash(listed.ana, listed.channel, "record", **options)
    await listed.discord.until(
        lambda: [one for one in listed.discord.from_bot(listed.channel)[before:] if one.embeds]
    )
    assert await listed.known("coat") == "blue"
    listed.house.endpoint.reply("Here.")
    await listed.ask("are you there?")


async def test_command_that_was_acknowledged_too_late_is_answered_all_the_same(listed: Hall) -> None:
    """C22: 10062 on the acknowledgement; the answer is a normal message."""
    listed.discord.expects(10062)
    listed.discord.fault("POST", "*/callback", Refuse(10062))
    listed.discord.slash(listed.ana, listed.channel, "lore", entity="Mara")
    await listed.discord.until(lambda: [one for one in listed.discord.from_bot(listed.channel) if one.embeds])


async def test_acknowledged_while_the_database_is_locked(listed: Hall) -> None:
    """C22: before any lock; a command and a press."""
    shown = await listed.discord.answered(
        listed.discord.slash(listed.ana, listed.channel, "lore", entity="Mara")
    )
    with closing(sqlite3.connect(listed.house.app.settings.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        asked = listed.discord.slash(listed.ana, listed.channel, "undo")
        pressed = listed.discord.click(listed.ana, shown, listed.discord.labels(shown)[0])
        for one in (asked, pressed):
            await listed.discord.acknowledged(one)
            assert one.took_s is not None
            assert one.took_s < 1
        other.rollback()
    await listed.discord.answered(asked)


async def test_message_is_saved_to_lore_by_its_menu(listed: Hall) -> None:
    said = listed.discord.say(listed.ana, listed.channel, "Mara's coat is blue from the start.")
    listed.house.endpoint.reply(
        Call("record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"coat": "blue"}})
    )
    shown = await listed.discord.answered(listed.discord.menu(listed.ana, said, "Save to lore"))
    card = await listed.card(shown)
    assert listed.discord.labels(card) == ["Save", "Discard"]
    request = str(listed.house.endpoint.requests[0].messages[-1]["content"])
    assert "Mara's coat is blue from the start." in request


async def test_message_is_saved_as_a_scene_by_its_menu(listed: Hall) -> None:
    said = listed.discord.say(listed.ana, listed.channel, "The tide went out, and the bells rang.")
    opened = await listed.discord.acknowledged(listed.discord.menu(listed.ana, said, "Save as scene"))
    sent = listed.discord.submit(opened, {"place": "2.3"})
    card = await listed.discord.answered(sent)
    await listed.discord.until(lambda: card.embeds)
    await listed.save(card)
    await listed.discord.until(lambda: "Save" not in listed.discord.labels(card))
    read = await listed.discord.answered(
        listed.discord.slash(listed.ana, listed.channel, "scene read", position="2.3")
    )
    assert "The tide went out" in str(read.embeds)


async def test_scene_form_without_a_place_saves_nothing(listed: Hall) -> None:
    said = listed.discord.say(listed.ana, listed.channel, "The tide went out.")
    opened = await listed.discord.acknowledged(listed.discord.menu(listed.ana, said, "Save as scene"))
    sent = listed.discord.submit(opened, {"place": "somewhere"})
    await listed.discord.until(lambda: [one for one in sent.replies if one.ephemeral])
    assert "7.3" in sent.replies[-1].content


async def test_thread_for_a_book_listens_to_everything(listed: Hall) -> None:
    asked = listed.discord.slash(listed.ana, listed.channel, "book open", book="The Heron")
    shown = await listed.discord.answered(asked)
    thread = next(one for one in listed.discord.world.channels.values() if one.name == "The Heron")
    assert thread.mention in shown.content
    await listed.discord.until(lambda: [one for one in listed.discord.from_bot(thread) if one.embeds])
    listed.house.endpoint.reply("Green.")
    answer = await listed.discord.reply(listed.discord.say(listed.ana, thread, "what are Mara's eyes?"))
    await listed.discord.until(lambda: answer.content == "Green.")


async def test_stranger_reads_one_private_line(house: House, discord: Discord) -> None:
    async with open_hall(house, discord):
        stranger = discord.user("Zed")
        elsewhere = discord.guild("Elsewhere", stranger)
        place = discord.channel(elsewhere, "hall")
        await discord.until(lambda: "start" in discord.commands())
        answer = await discord.answered(discord.slash(stranger, place, "start", code="AAAA-BBBB-CCCC"))
        assert answer.ephemeral
        asked = discord.say(stranger, place, f"{discord.bot.mention} who is Mara?")
        private = discord.direct(stranger)
        await discord.until(lambda: discord.from_bot(private) or discord.replies_to(asked))
        assert house.endpoint.requests == []


async def test_operator_is_made_by_the_code(listed: Hall) -> None:
    boss = listed.discord.user("Boss")
    private = listed.discord.direct(boss)
    code = await listed.house.app.pairing.new_code()
    answer = await listed.discord.answered(listed.discord.slash(boss, private, "start", code=code))
    assert "operator" in answer.content


async def test_server_role_makes_a_reader_who_has_read_so_far(listed: Hall) -> None:
    readers = listed.discord.role(listed.guild, "Chapter one")
    asked = listed.discord.slash(
        listed.ana, listed.channel, "members role", discord_role=readers, role="reader", position="1"
    )
    assert "beta reader" in (await listed.discord.answered(asked)).content
    gus = listed.discord.user("Gus")
    listed.discord.join(listed.guild, gus, roles=[readers])
    read = await listed.discord.answered(
        listed.discord.slash(gus, listed.channel, "scene read", position="1.1")
    )
    assert "harbour of Vel" in str(read.embeds)
    hidden = await listed.discord.answered(
        listed.discord.slash(gus, listed.channel, "scene read", position="2.1")
    )
    assert "scarf" not in str(hidden.embeds) + hidden.content
    rows = [row for row in await listed.house.audit() if row.tool == "members"]
    assert rows[-1].outcome == "done"


async def test_only_the_lead_gives_server_roles_a_meaning(listed: Hall) -> None:
    eve = listed.discord.user("Eve")
    listed.discord.join(listed.guild, eve)
    await listed.join(eve, SeriesRole.EDITOR)
    readers = listed.discord.role(listed.guild, "Everybody")
    refused = await listed.discord.answered(
        listed.discord.slash(eve, listed.channel, "members role", discord_role=readers, role="editor")
    )
    assert refused.ephemeral
    assert "Everybody" not in refused.content
    never = await listed.discord.answered(
        listed.discord.slash(listed.ana, listed.channel, "members role", discord_role=readers, role="owner")
    )
    assert "makes nobody lead" in never.content


async def test_forum_is_linked_from_elsewhere_and_its_posts_take_the_book_over(listed: Hall) -> None:
    forum = listed.discord.forum(listed.guild, "chapters")
    linking = {"series": "The Salt Roads", "book": "The Heron"}
    card = await listed.discord.answered(
        listed.discord.slash(listed.ana, listed.channel, "book link", where=forum, **linking)
    )
    await listed.discord.until(lambda: card.embeds)
    if "Save" in listed.discord.labels(card):
        await listed.save(card)
        await listed.discord.until(lambda: "Save" not in listed.discord.labels(card))
    post = listed.discord.forum_post(listed.ana, forum, "Chapter one", "Let us talk about Mara.")
    answer = await listed.ask("/lore Mara", channel=post)
    assert answer.embeds[0]["title"].startswith("Mara")


async def test_manuscript_is_brought_in_by_its_command(listed: Hall) -> None:
    book = ("tide.md", b"---\ntitle: Low Water\n---\n\n# One\n\nThe tide goes out.\n")
    card = await listed.discord.answered(
        listed.discord.slash(listed.ana, listed.channel, "import", file=book)
    )
    await listed.discord.until(lambda: card.embeds and "Save" in listed.discord.labels(card))
    await listed.save(card)
    await listed.changes(card, "Saved, edit no.")


async def test_fuller_answer_is_for_the_person_alone(listed: Hall) -> None:
    await listed.readers(listed.channel, "1")
    shown = await listed.discord.answered(
        listed.discord.slash(listed.ana, listed.channel, "scene read", position="1.1")
    )
    fuller = [label for label in listed.discord.labels(shown) if label not in ("◀", "▶")]
    assert fuller
    answer = await listed.discord.answered(listed.discord.click(listed.ana, shown, fuller[-1]))
    assert answer.ephemeral
