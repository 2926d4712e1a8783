"""Who comes along with a series: roles and progress do, power over the installation doesn't."""

from pathlib import Path

from agent_core.lore.model import Series
from agent_core.people.model import Identity, Membership, Progress, Rights, SeriesRole
from tests.agent_core.exporting.shelves import ANN, OZ, TIM, Shelf, members, open_shelf
from tests.contracts.lore_rows import fact


async def begun(shelf: Shelf) -> Shelf:
    await shelf.fill([[fact("mara")], [fact("mara", "f2")]])
    await shelf.seat()
    return shelf


async def test_roles_and_progress_come_along(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await new.take(await (await begun(old)).out())

        assert await new.people.members(OZ.id) == (
            Membership(person="ann", series=OZ.id, role=SeriesRole.OWNER, may_destroy=True),
            Membership(person="tim", series=OZ.id, role=SeriesRole.READER),
        )
        assert await new.people.progress("tim", OZ.id) == Progress(
            person="tim", series=OZ.id, finished="b0", ceiling="b1"
        )
        assert (await new.people.person_for(TIM, "T", new_id="x", operator=False)).id == "tim"


async def test_nobody_becomes_an_operator_but_who_sits_at_the_terminal(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await begun(old)
        await old.execute("UPDATE person SET operator = 1")
        await new.take(await old.out())

        assert await new.select("SELECT id, operator FROM person ORDER BY id") == [("ann", 1), ("tim", 0)]


async def test_archive_says_nothing_of_operators_and_strangers(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old:
        people = members(await (await begun(old)).out())["people.jsonl"]

    assert people == [
        '{"person":"ann","name":"Ann","unitedWith":null,"accounts":[["terminal","local"]]}',
        '{"person":"tim","name":"Tim","unitedWith":null,"accounts":[["telegram","7"]]}',
    ]


async def test_whoever_is_here_with_the_same_account_gets_the_role(tmp_path: Path) -> None:
    """A machine that was set up before: who sits at its terminal leads the series that they bring."""
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        archive = await (await begun(old)).out()
        await new.people.person_for(ANN, "root", new_id="local", operator=True)
        await new.take(archive)

        assert await new.people.membership("local", OZ.id) == Membership(
            person="local", series=OZ.id, role=SeriesRole.OWNER, may_destroy=True
        )
        assert await new.people.membership("ann", OZ.id) is None
        author = await new.people.person("ann")
        assert author is not None
        assert (author.id, author.name) == ("local", "root")
        assert await new.select("SELECT id FROM person WHERE operator = 1") == [("local",)]


async def test_roles_and_progress_that_are_here_stay(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await begun(old)
        await new.take(await old.out("early.zip"))
        await new.people.set_membership(Membership(person="tim", series=OZ.id, role=SeriesRole.EDITOR))
        await new.people.set_progress(Progress(person="tim", series=OZ.id, finished="b7"))
        await old.fill([[fact("mara", "f3")]])
        await new.take(await old.out("late.zip"))

        tim = await new.people.membership("tim", OZ.id)
        read = await new.people.progress("tim", OZ.id)
        assert (tim and tim.role, read and read.finished) == (SeriesRole.EDITOR, "b7")


async def test_person_who_became_a_part_of_another_does_so_here(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await begun(old)
        reader = Membership(person="ann", series=OZ.id, role=SeriesRole.OWNER)
        await old.people.unite("tim", "ann", Rights(memberships=(reader,)))
        before = await old.out()
        await new.take(before)

        became = await new.people.person("tim")
        assert became is not None
        assert became.id == "ann"
        assert (await new.people.person_for(TIM, "T", new_id="x", operator=False)).id == "ann"
        assert members(await new.out()) == members(before)


async def test_series_of_somebody_else_with_the_same_name_is_another_series(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        archive = await (await begun(old)).out()
        mine = Series(id="mine", name="Oz", owner="local")
        await new.fill([[fact("dorothy")]], mine)
        await new.take(archive)

        assert await new.series.series_by_name("Oz") == (mine, OZ)


async def test_accounts_that_are_taken_stay_with_who_has_them(tmp_path: Path) -> None:
    async with open_shelf(tmp_path) as old, open_shelf(tmp_path) as new:
        await begun(old)
        await old.execute("INSERT INTO identity (platform, user_id, person) VALUES ('discord', '9', 'tim')")
        archive = await old.out()
        await new.people.person_for(TIM, "Timothy", new_id="t1", operator=False)
        await new.people.person_for(Identity("discord", "9"), "Other", new_id="o1", operator=False)
        await new.take(archive)

        assert await new.select("SELECT platform, person FROM identity ORDER BY platform") == [
            ("discord", "o1"),
            ("telegram", "t1"),
            ("terminal", "ann"),
        ]
