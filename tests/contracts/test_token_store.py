"""What every store of tokens does, and what `Tokens` makes of it."""

from agent_core.people.model import Identity
from agent_core.people.tokens import Tokens
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.people import SqlPeopleStore
from agent_core.stores.sql.tokens import SqlTokenStore
from tests.clock import FakeClock


async def made(database: Database, name: str = "page") -> tuple[Tokens, str]:
    people = SqlPeopleStore(database)
    await people.person_for(Identity("terminal", "ann"), "Ann", new_id="ann", operator=False)
    tokens = Tokens(store=SqlTokenStore(database), clock=FakeClock())
    return tokens, await tokens.make("ann", name)


async def test_token_stands_for_its_person(database: Database) -> None:
    tokens, text = await made(database)

    assert await tokens.person_of(text) == "ann"
    assert await tokens.are_there_any()


async def test_only_the_hash_of_a_token_is_stored(database: Database) -> None:
    tokens, text = await made(database)
    secret = text.split("_", 2)[2]

    [stored] = await tokens.store.tokens()

    assert secret not in repr(stored)
    assert len(secret) >= 43


async def test_token_that_is_changed_stands_for_nobody(database: Database) -> None:
    tokens, text = await made(database)
    wrong = (
        text[:-1],
        text + "x",
        text.replace("lk_", "xx_"),
        text.rsplit("_", 1)[0],
        "",
        "lk_",
        "lk__",
        "ü",
    )

    assert [await tokens.person_of(one) for one in wrong] == [None] * len(wrong)


async def test_revoked_token_stands_for_nobody(database: Database) -> None:
    tokens, text = await made(database)
    [stored] = await tokens.store.tokens()

    assert await tokens.store.revoke_token(stored.id)

    assert await tokens.person_of(text) is None
    assert not await tokens.are_there_any()
    assert not await tokens.store.revoke_token(stored.id)


async def test_tokens_are_listed_oldest_first(database: Database) -> None:
    tokens, _ = await made(database, "page")
    tokens.clock.advance(minutes=1)  # type: ignore[attr-defined]  # the clock of a test
    await tokens.make("ann", "phone")

    assert [token.name for token in await tokens.store.tokens()] == ["page", "phone"]
