"""Messages: what addresses the bot, what it answers where, and what it is told along."""

from agent_core.people.model import SeriesRole
from tests.adapters.discord.hall import Hall, open_hall
from tests.emulators.discord import Discord, Message
from tests.emulators.model_endpoint import Call, Reply
from tests.house import House


def told(hall: Hall, request: int = -1) -> str:
    """What the model was told in its last user message."""
    said = [one for one in hall.house.endpoint.requests[request].messages if one["role"] == "user"]
    return str(said[-1]["content"])


async def test_question_by_mention_is_answered_in_reply(hall: Hall) -> None:
    hall.house.endpoint.reply("Her eyes are green (1.1).")
    answer = await hall.ask("what colour are Mara's eyes?")
    await hall.discord.until(lambda: "green" in answer.content)
    assert answer.referenced is not None
    assert answer.referenced.author is hall.ana


async def test_answer_grows_by_edits_before_it_is_whole(hall: Hall) -> None:
    endpoint = hall.house.endpoint
    endpoint.reply(Reply(text="Mara waits at the harbour of Vel. Her eyes are green, as all know.", hold=4))
    question = await hall.say("tell me of Mara")
    first = await hall.discord.reply(question)
    assert "Vel" not in first.content or "know" not in first.content
    endpoint.release()
    await hall.discord.until(lambda: first.content.startswith("Mara waits") and "all know" in first.content)
    assert len(hall.discord.replies_to(question)) == 1


async def test_trace_is_silent_and_opens_to_the_steps(hall: Hall) -> None:
    endpoint = hall.house.endpoint
    endpoint.reply(Call("get_entity_state", {"entityId": "Mara"}))
    endpoint.reply("Green.")
    question = await hall.say("what are Mara's eyes?")
    await hall.discord.until(lambda: len(hall.discord.replies_to(question)) == 2)
    trace, answer = hall.discord.replies_to(question)
    await hall.discord.until(lambda: hall.discord.labels(trace) and "Green" in answer.content)
    assert trace.flags & trace.flags.SUPPRESS_NOTIFICATIONS
    assert trace.content.startswith("-# one step")
    pressed = hall.discord.click(hall.ana, trace, hall.discord.labels(trace)[0])
    opened = await hall.discord.answered(pressed)
    assert opened.ephemeral
    assert "look up an entry" in opened.content


async def test_unaddressed_talk_is_context_and_starts_nothing(hall: Hall) -> None:
    ben = hall.discord.user("Ben")
    hall.discord.join(hall.guild, ben)
    hall.discord.say(ben, hall.channel, "the lighthouse keeper should be called Odo")
    hall.house.endpoint.reply("Odo.")
    answer = await hall.ask("what was the keeper to be called?")
    await hall.discord.until(lambda: answer.content == "Odo.")
    assert "Ben: the lighthouse keeper should be called Odo" in told(hall)
    assert len(hall.house.endpoint.requests) == 1


async def test_only_our_own_mention_is_removed(hall: Hall) -> None:
    """C27: others become names with their ids, channels too."""
    edda = hall.discord.user("Edda")
    hall.discord.join(hall.guild, edda)
    hall.house.endpoint.reply("Yes.")
    await hall.ask(f"ask {edda.mention} about {hall.channel.mention}")
    assert told(hall).endswith(f"ask @Edda ({edda.id}) about #low-water ({hall.channel.id})")


async def test_command_behind_a_mention_is_carried_out(hall: Hall) -> None:
    """C27: `/new` after the mention works."""
    answer = await hall.ask("/new")
    assert "afresh" in answer.content
    assert hall.house.endpoint.requests == []


async def test_bare_mention_gets_a_short_help(hall: Hall) -> None:
    """C27: no model call for it."""
    question = hall.discord.say(hall.ana, hall.channel, hall.discord.bot.mention)
    answer = await hall.discord.reply(question)
    assert 0 < len(answer.content) < 400
    assert hall.house.endpoint.requests == []


async def test_typed_command_needs_no_mention(hall: Hall) -> None:
    question = hall.discord.say(hall.ana, hall.channel, "/lore Mara")
    answer = await hall.discord.reply(question)
    assert answer.embeds[0]["title"].startswith("Mara")


async def test_command_of_another_bot_is_none_of_ours(hall: Hall) -> None:
    theirs = hall.discord.say(hall.ana, hall.channel, "/play sea shanties")
    await hall.ask("/help")
    assert hall.discord.replies_to(theirs) == []


async def test_names_in_brackets_get_small_cards(hall: Hall) -> None:
    question = hall.discord.say(hall.ana, hall.channel, "then [[Mara]] and [[Mara@1.1]] leave")
    cards = [await hall.discord.reply(question, number=number) for number in (1, 2)]
    assert all(card.embeds[0]["title"].startswith("Mara") for card in cards)
    assert hall.house.endpoint.requests == []


async def test_reply_to_the_bot_addresses_it_and_carries_what_it_answers(hall: Hall) -> None:
    """C26 for Discord: the quoted part is told with its author."""
    hall.house.endpoint.reply("Her eyes are green.")
    first = await hall.ask("what are her eyes?")
    await hall.discord.until(lambda: "green" in first.content)
    hall.house.endpoint.reply("Green eyes.")
    question = hall.discord.say(hall.ana, hall.channel, "shorten this", reply_to=first)
    answer = await hall.discord.reply(question)
    await hall.discord.until(lambda: answer.content == "Green eyes.")
    assert "(in answer to LoreKeeper:) Her eyes are green." in told(hall)


async def test_reply_to_another_member_quotes_them(hall: Hall) -> None:
    """C26 for Discord: an old message of another member is told, too."""
    ben = hall.discord.user("Ben")
    hall.discord.join(hall.guild, ben)
    old = hall.discord.say(ben, hall.channel, "The tide turned twice that night.")
    hall.house.endpoint.reply("The tide turned twice.")
    mention = hall.discord.bot.mention
    question = hall.discord.say(hall.ana, hall.channel, f"{mention} shorten this", reply_to=old)
    await hall.discord.reply(question)
    assert "(in answer to Ben:) The tide turned twice that night." in told(hall)


async def test_reply_to_a_message_that_is_gone_says_so(hall: Hall) -> None:
    """C26 for Discord: instead of guessing."""
    ben = hall.discord.user("Ben")
    hall.discord.join(hall.guild, ben)
    old = hall.discord.say(ben, hall.channel, "never mind")
    hall.discord.delete(old)
    hall.house.endpoint.reply("What do you mean?")
    mention = hall.discord.bot.mention
    question = hall.discord.say(hall.ana, hall.channel, f"{mention} shorten this", reply_to=old)
    await hall.discord.reply(question)
    assert "that is gone" in told(hall)


async def test_forwarded_command_asks_although_it_is_complete(hall: Hall) -> None:
    text = f"{hall.discord.bot.mention} /record Mara scarf=red @1.1"
    elsewhere = hall.discord.channel(hall.guild, "elsewhere")
    original = hall.discord.say(hall.ana, elsewhere, "/record Mara scarf=red @1.1")
    await hall.desk.exchange.core.chat.note("discord", f"addressed:c{hall.channel.id}", "all")
    question = hall.discord.say(hall.ana, hall.channel, forwards=original)
    card = await hall.discord.reply(question)
    assert "Save" in hall.discord.labels(card)
    done = await hall.discord.reply(hall.discord.say(hall.ana, hall.channel, text))
    await hall.discord.until(lambda: done.embeds)
    assert hall.discord.labels(done) == ["Take back"]


async def test_text_file_is_told_along(hall: Hall) -> None:
    hall.house.endpoint.reply("It is about tides.")
    mention = hall.discord.bot.mention
    files = {"tides.md": b"# Tides\nThey turn twice.", "map.png": b"\x89PNG"}
    question = hall.discord.say(hall.ana, hall.channel, f"{mention} what is this about?", attachments=files)
    await hall.discord.reply(question)
    assert "They turn twice." in told(hall)
    assert "map.png" in told(hall)


async def test_speakers_are_told_apart_whatever_they_are_called(hall: Hall) -> None:
    """C40: the name goes into the text, the request stays valid."""
    mara = hall.discord.user("Мара 🐉")
    long = hall.discord.user("x" * 90)
    for user in (mara, long):
        hall.discord.join(hall.guild, user)
        await hall.join(user, SeriesRole.EDITOR)
        hall.house.endpoint.reply("Hello.")
        question = await hall.say("hello", user)
        await hall.discord.reply(question)
    requests = hall.house.endpoint.requests
    assert all("name" not in message for request in requests for message in request.messages)
    assert "Мара 🐉" in str(requests[0].messages)


async def test_messages_of_bots_and_webhooks_start_nothing(hall: Hall) -> None:
    """C28: neither does a reply that pings us without our name in it."""
    other = hall.discord.user("Music", is_bot=True)
    hall.discord.join(hall.guild, other)
    await hall.desk.exchange.core.chat.note("discord", f"addressed:c{hall.channel.id}", "all")
    hall.house.endpoint.reply("Here.")
    answer = await hall.ask("are you there?")
    await hall.discord.until(lambda: answer.content == "Here.")
    machine = hall.discord.say(other, hall.channel, "beep", reply_to=answer)
    by_name = hall.discord.say(other, hall.channel, f"{hall.discord.bot.mention} beep")
    hook = hall.discord.say_by_webhook(hall.channel, "Feed", f"{hall.discord.bot.mention} news")
    hall.house.endpoint.reply("Still here.")
    last = await hall.ask("still there?")
    await hall.discord.until(lambda: last.content == "Still here.")
    assert [hall.discord.replies_to(one) for one in (machine, by_name, hook)] == [[], [], []]
    assert len(hall.house.endpoint.requests) == 2


async def test_allowed_bot_is_heard_for_a_few_rounds(house: House, discord: Discord) -> None:
    """C28: a chain without a human stops."""
    other = discord.user("Herald", is_bot=True)
    async with open_hall(house, discord, allowed_bots=frozenset({other.id})) as hall:
        discord.join(hall.guild, other)
        mention = discord.bot.mention
        answered: list[Message] = []
        for _ in range(3):
            house.endpoint.reply("Noted.")
            answered.append(await discord.reply(discord.say(other, hall.channel, f"{mention} news")))
        silent = discord.say(other, hall.channel, f"{mention} news")
        house.endpoint.reply("Yes.")
        await discord.reply(await hall.say("are you there?"))
        assert discord.replies_to(silent) == []
        assert len(house.endpoint.requests) == 4


async def test_nobody_is_pinged(hall: Hall) -> None:
    """C45: on no send and no edit."""
    role = hall.discord.role(hall.guild, "Everybody's readers")
    text = f"@everyone @here {role.mention} {hall.ana.mention} are called."
    hall.house.endpoint.reply(Call("search_lore", {"query": "@everyone"}))
    hall.house.endpoint.reply(Reply(text=text, hold=3))
    question = await hall.say("read it out")
    await hall.discord.until(lambda: len(hall.discord.replies_to(question)) == 2)
    hall.house.endpoint.release()
    answer = hall.discord.replies_to(question)[-1]
    await hall.discord.until(lambda: answer.content.endswith("are called."))
    for message in hall.discord.from_bot(hall.channel):
        assert not message.mention_everyone
        assert message.mentions == []
        assert message.mention_roles == []
    for request in hall.discord.requests:
        if request.method in ("POST", "PATCH") and "/messages" in request.path:
            assert request.body["allowed_mentions"]["parse"] == []


async def test_edited_message_is_known_in_its_new_words(hall: Hall) -> None:
    """C23 for Discord: no second turn for the edit, and history holds the new words."""
    hall.house.endpoint.reply("Noted.")
    said = await hall.say("Mara is seventeen")
    await hall.discord.reply(said)
    hall.discord.edit(said, f"{hall.discord.bot.mention} Mara is nineteen")
    await hall.discord.until(lambda: True)
    hall.house.endpoint.reply("Nineteen.")
    answer = await hall.ask("how old is Mara?")
    await hall.discord.until(lambda: answer.content == "Nineteen.")
    history = str(hall.house.endpoint.requests[-1].messages)
    assert "nineteen" in history
    assert "Mara is seventeen" not in history
    assert len(hall.house.endpoint.requests) == 2


async def test_deleted_messages_are_gone_from_what_the_model_is_told(hall: Hall) -> None:
    """C29: single and bulk deletions, by raw events."""
    hall.house.endpoint.reply("You said: the heir lives.")
    said = await hall.say("privately: the heir lives")
    answer = await hall.discord.reply(said)
    await hall.discord.until(lambda: "heir" in answer.content)
    chatter = [hall.discord.say(hall.ana, hall.channel, f"secret number {number}") for number in range(3)]
    hall.discord.delete(said)
    hall.discord.delete(*chatter)
    hall.house.endpoint.reply("I don't know.")
    last = await hall.ask("what was said?")
    await hall.discord.until(lambda: "know" in last.content)
    history = str(hall.house.endpoint.requests[-1].messages)
    assert "heir" not in history
    assert "secret number" not in history


async def test_empty_answer_becomes_one_honest_sentence(hall: Hall) -> None:
    """C38: invisible characters are no answer."""
    hall.house.endpoint.reply("\u200b\u2060\ufeff")
    answer = await hall.ask("who is Mara?")
    await hall.discord.until(lambda: len(answer.content) > 10)


async def test_long_answer_comes_as_a_file(hall: Hall) -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "Salt and tide. " * 60 for number in range(15))
    hall.house.endpoint.reply(Reply(text=text, piece=400))
    question = await hall.say("tell me everything")
    answer = await hall.discord.reply(question)
    await hall.discord.until(lambda: answer.attachments)
    assert answer.attachments[0].content.decode() == text.strip()
    assert answer.content.startswith("Paragraph 0.")
    assert [one for one in hall.discord.replies_to(question) if one.content and one is not answer] == []


async def test_two_threads_answer_beside_each_other(hall: Hall) -> None:
    """C25: each prompt and trace stays in its own thread."""
    endpoint = hall.house.endpoint
    threads = [hall.discord.thread(hall.ana, hall.channel, name) for name in ("one", "two")]
    call = Call("record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"scarf": "red"}})
    endpoint.reply(call)
    first = await hall.say("note the scarf", channel=threads[0])
    await endpoint.received(1)
    endpoint.reply("Nothing to note.")
    second = await hall.say("and here?", channel=threads[1])
    await hall.card(first)
    answer = await hall.discord.reply(second)
    await hall.discord.until(lambda: answer.content == "Nothing to note.")
    assert {one.channel.id for one in hall.discord.from_bot(threads[0])} == {threads[0].id}
    assert not any(one.embeds for one in hall.discord.from_bot(threads[1]))
