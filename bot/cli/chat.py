"""`lorekeeper chat`: the terminal, with a keyboard or without one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from agent_core.errors import NotPermitted
from agent_core.llm.surrogates import mend
from agent_core.lore.model import Author
from agent_core.people.model import Membership, Progress, SeriesRole
from agent_core.tools.spec import Asker
from bot.cli.place import LOCAL, Seat, linked, seated
from bot.cli.start import USAGE, with_app
from bot.wiring import App

Say = Annotated[list[str] | None, typer.Option("--say", help="Say this and end; may be given several times.")]
Yes = Annotated[bool, typer.Option("--yes", help="Save every proposal that comes up.")]
No = Annotated[bool, typer.Option("--no", help="Discard every proposal that comes up.")]
Pick = Annotated[str, typer.Option("--pick", help="Save only these lines of a proposal, such as 1,3.")]
As = Annotated[str, typer.Option("--as", help="Speak as somebody else: ann, or reader@b1:2 for a reader.")]
About = Annotated[str, typer.Option("--series", help="The series to talk about.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asked for."""

    texts: Sequence[str]
    yes: bool
    no: bool
    pick: str
    seat: Seat
    finished: str
    as_json: bool

    @property
    def speaks_once(self) -> bool:
        """Whether there is no conversation at the keyboard."""
        return bool(self.texts or self.yes or self.no or self.pick or self.as_json)


def chat(
    say: Say = None,
    yes: Yes = False,
    no: No = False,
    pick: Pick = "",
    as_: As = "",
    series: About = "",
    as_json: AsJson = False,
) -> None:
    """Talk to the keeper of your notes. Without --say, --yes, --no and --pick decide the open proposal."""
    if yes + no + bool(pick) > 1:
        typer.echo("--yes, --no and --pick exclude each other.", err=True)
        raise typer.Exit(USAGE)
    user, at, finished = mend(as_).partition("@")
    if at and not user:
        typer.echo("--as wants a name before the @, such as reader@b1:2.", err=True)
        raise typer.Exit(USAGE)
    wish = Wish(
        texts=say or (),
        yes=yes,
        no=no,
        pick=pick,
        seat=Seat(user=user or LOCAL, series=mend(series)),
        finished=finished,
        as_json=as_json,
    )
    with_app(lambda app: talk(app, wish))


async def talk(app: App, wish: Wish) -> int:
    """Hold one conversation and return the exit code."""
    await _take_seat(app, wish)
    from bot.cli.conversation import converse, say_once  # noqa: PLC0415  the keyboard is slow to import

    return await (say_once(app, wish) if wish.speaks_once else converse(app, wish.seat))


async def _take_seat(app: App, wish: Wish) -> None:
    """Link the conversation of this seat to its series; seat a reader with the progress that was given."""
    operator = Seat(series=wish.seat.series)
    asker = await seated(app, operator)
    if asker.conversation.series is None:
        name = wish.seat.series or await _only_series(app)
        if name:
            asker = await _linked_to_known(app, operator, name)
    if wish.seat.user != LOCAL:
        await _seat_beside(app, asker, wish)


async def _linked_to_known(app: App, seat: Seat, name: str) -> Asker:
    if not await app.core.askers.series.series_by_name(name):
        raise NotPermitted(reason="unknown_series", name=name)
    return await linked(app, seat, name)


async def _only_series(app: App) -> str:
    there = await app.core.askers.series.all_series()
    return there[0].name if len(there) == 1 else ""


async def _seat_beside(app: App, operator: Asker, wish: Wish) -> None:
    asker, series = await seated(app, wish.seat), operator.conversation.series
    if series is None:
        return
    conversation = replace(
        asker.conversation, series=series, book=asker.conversation.book or operator.conversation.book
    )
    await app.core.askers.conversations.save_conversation(conversation)
    if not wish.finished:
        return
    canon = await app.core.askers.canon(conversation)
    assert canon is not None  # noqa: S101  the series was found above
    finished = None
    if wish.finished not in {"start", "nothing"}:
        place = canon.outline.find(wish.finished, book=conversation.book, here=None, bound=Author())
        finished = canon.outline.finished(place)
    people, reader = app.core.askers.people, asker.person.id
    await people.set_membership(Membership(person=reader, series=series, role=SeriesRole.READER))
    await people.set_progress(Progress(person=reader, series=series, finished=finished))
