"""What one typed line does: ask the agent, run a command, decide a card. Knows no keyboard."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from adapters.cards import Button, answer_card, outcome_card, proposal_card
from adapters.commands import CommandError, Control, ParsedCommand, is_command, parse
from adapters.help import help_card
from adapters.lookup import looked_up
from adapters.surface import Loaded, error_text
from adapters.terminal.folder import laid
from adapters.terminal.host import PLATFORM, Host
from adapters.terminal.output import Output
from adapters.terminal.preferences import settings_lines
from agent_core.conversation.model import ShownCard, card_state
from agent_core.errors import LoreKeeperError
from agent_core.events import ConfirmationAsked, ConfirmationClosed, Done, Emit, Event, Failed, Message
from agent_core.llm.surrogates import mend
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch, BatchStatus, CallStatus
from agent_core.texts import say
from agent_core.tools.spec import Asker

AT_ONCE = 100
LATER = frozenset({"schedule_new", "schedule_run"})
"""Done by another process: the words on a card promise what begins only there."""

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Dialogue:
    """A person's exchange with the core. `failed` says whether anything was refused or went wrong."""

    host: Host
    output: Output
    failed: bool = False
    shown: tuple[str, str] = ("", "")
    closed: set[str] = field(default_factory=set)
    printing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def take(self, text: str) -> None:
        """Carry out one line: a command, or a message to the agent."""
        text = mend(text)  # bytes that are no text come in as halves of characters
        try:
            if is_command(text):
                await self._command(parse(text))
            else:
                await self._ask(text)
        except CommandError as error:
            asker = await self.host.asker()
            self._trouble(error.text(asker.language))
        except LoreKeeperError as error:
            await self._refused(error)

    async def catch_up(self) -> None:
        """Show the answers that this conversation has not got yet, and finish what a crash left open."""
        asker = await self.host.asker()
        core, conversation = self.host.core, asker.conversation.id

        async def work(emit: Emit) -> None:
            for owed in await core.owed(conversation):
                text = f"{say(asker.language, 'answer.repeat')}\n\n{owed.text}" if owed.repeat else owed.text
                await emit(Message(owed.turn, text))
                await core.delivered(owed.id)
            await core.recover(lambda _: emit, conversation)

        for batch in await core.runtime.batches.unsettled():
            if batch.conversation == conversation:
                await self._owe_outcome(batch)
        await self._drive(work, asker)
        await self._tell_outcomes(asker)

    async def show_aside(self, heading: str, tell: Callable[[Emit], Awaitable[None]]) -> None:
        """Show what came without being asked for here, below its heading."""
        self.output.note(heading)
        await self._drive(tell, await self.host.asker())

    async def stop(self) -> None:
        """Cancel the turn that runs here, if there is one."""
        asker = await self.host.asker()
        await self.host.core.cancel(asker.conversation.id)

    async def waiting(self, put_off: tuple[str, str] = ("", "")) -> Batch | None:
        """Return the newest open card of this person: the card shown last, or one that was put off."""
        asker = await self.host.asker()
        mine = [
            batch
            for batch in await self.host.core.open_batches(asker.conversation.id)
            if batch.requester == asker.person.id
        ]
        if not mine:
            return None
        if (mine[-1].id, mine[-1].digest) not in {self.shown, put_off}:
            await self._show(mine[-1], asker)
        return mine[-1]

    async def decide(self, batch: Batch, decision: Decision) -> None:
        """Decide a card and show what became of it; after a conflict that is a fresh card."""
        asker = await self.host.asker()
        core = self.host.core

        async def work(emit: Emit) -> Batch:
            return await core.decide(batch.id, decision, asker, self._after_outcome(batch.id, emit, asker))

        await self._owe_outcome(batch)
        try:
            decided = await self._drive(work, asker)
        except LoreKeeperError as error:
            await self._refused(error)
            return
        await core.chat.card_gone(PLATFORM, batch.id)
        if decided.status is BatchStatus.OPEN:
            self.shown = (decided.id, decided.digest)
        elif decided.id not in self.closed:
            await self._show(decided, asker)

    async def answer(self, button: Button) -> None:
        """Answer a question on a card; the revised card is shown by the next `waiting`."""
        asker = await self.host.asker()
        try:
            await self.host.core.answer_question(button.batch, button.line, button.name, button.value, asker)
        except LoreKeeperError as error:
            await self._refused(error)

    async def _ask(self, text: str, *, deep: bool = False) -> None:
        asker = await self.host.asker()
        incoming = self.host.incoming(asker, text)
        await self._drive(lambda emit: self.host.core.handle(incoming, asker, emit, deep=deep), asker)

    async def _command(self, command: ParsedCommand | Control) -> None:
        if isinstance(command, Control):
            await self._control(command)
        elif command.command.writes:
            await self._write(command)
        else:
            await self._look_up(command)

    async def _look_up(self, command: ParsedCommand) -> None:
        asker = await self.host.asker()
        answer = await looked_up(self.host.core, command, asker)
        card = answer_card(answer, await self.host.view(asker), name=command.subject)
        self.output.answer(command.tool, answer, card)
        await self._take_files(asker)

    async def _write(self, command: ParsedCommand) -> None:
        asker = await self.host.asker()
        batch = await self.host.core.propose(
            [(command.tool, command.arguments)], asker, complete=command.complete
        )
        await self._show(batch, asker)
        await self._take_files(asker)

    async def _control(self, control: Control) -> None:
        asker = await self.host.asker()
        language = asker.language
        match control.name:
            case "ask":
                await self._ask(control.options["question"])
            case "research":
                await self._ask(control.options["question"], deep=True)
            case "new":
                await self._drive(lambda emit: self.host.core.start_afresh(asker, emit), asker)
                self.output.note(say(language, "terminal.fresh"))
            case "cancel":
                stopped = await self.host.core.cancel(asker.conversation.id)
                self.output.note(say(language, "terminal.stopping" if stopped else "terminal.stopped"))
            case "help":
                self.output.card(help_card(language, control.options.get("command", "")))
            case "settings":
                self._notes(await settings_lines(control.options, asker, self.host, self.output))

    async def _show(self, batch: Batch, asker: Asker) -> None:
        view = await self.host.view(asker, batch)
        self.shown = (batch.id, batch.digest)
        if batch.status is BatchStatus.OPEN:
            self.output.batch(batch, proposal_card(batch, view))
            return
        self.failed |= any(call.status in {CallStatus.FAILED, CallStatus.UNKNOWN} for call in batch.calls)
        self.output.batch(batch, outcome_card(batch, view, by=await self._decider(batch)))
        if any(call.card.kind in LATER and call.status is CallStatus.DONE for call in batch.calls):
            self.output.note(say(asker.language, "terminal.scheduled"))

    async def _owe_outcome(self, batch: Batch) -> None:
        """Remember that it was not shown yet what becomes of a batch; a turn tells that itself."""
        if batch.turn is None:
            state = card_state(batch.status.value, batch.digest, settled=batch.settled)
            shown = ShownCard(
                platform=PLATFORM, ref=batch.id, batch=batch.id, place=batch.conversation, state=state
            )
            await self.host.core.chat.card_shown(shown)

    async def _tell_outcomes(self, asker: Asker) -> None:
        """Show what became of the batches here whose outcome a crash kept from being shown."""
        chat = self.host.core.chat
        for shown in await chat.stale_cards(PLATFORM, AT_ONCE):
            batch = await self.host.core.batch(shown.batch)
            if batch is None or not batch.settled or shown.place != asker.conversation.id:
                continue
            if all(call.status is not CallStatus.SUPERSEDED for call in batch.calls):
                view = await self.host.view(asker, batch)
                self.output.batch(batch, outcome_card(batch, view, by=await self._decider(batch)))
            await chat.card_gone(PLATFORM, shown.ref)

    def _after_outcome(self, batch_id: str, emit: Emit, asker: Asker) -> Emit:
        """Return a sink that shows what became of the batch before anything that follows from it."""

        async def take(event: Event) -> None:
            aside = isinstance(event, ConfirmationAsked | ConfirmationClosed)
            batch = None if aside or batch_id in self.closed else await self.host.core.batch(batch_id)
            if batch is not None:
                self.closed.add(batch_id)
                await self._show(batch, asker)
            await emit(event)

        return take

    async def _drive(self, work: Callable[[Emit], Awaitable[T]], asker: Asker) -> T:
        shown: set[str] = set()

        async def watched(emit: Emit) -> T:
            return await work(self._noting(emit, shown))

        done = await self.output.drive(watched, self._load, await self.host.view(asker))
        for owed in await self.host.core.owed(asker.conversation.id):
            if not owed.turn:  # a notice to the operator, which no turn has shown
                self.output.note(owed.text)
            if not owed.turn or owed.turn in shown:
                await self.host.core.delivered(owed.id)
        await self._take_files(asker)
        return done

    async def _take_files(self, asker: Asker) -> None:
        """Lay the files that were made here into the folder for them, and show where they are."""
        files = self.host.core.askers.files.store
        for file in await files.due_files(asker.conversation.id):
            content = await files.content(file.id)
            if content is not None:
                path = await asyncio.to_thread(laid, self.host.files, file.name, content)
                self.output.file(path, asker.language)
            await files.file_arrived(file.id)

    def _noting(self, emit: Emit, shown: set[str]) -> Emit:
        """Return a sink that adds to `shown` the turns whose end has arrived."""
        said = False

        async def noted(event: Event) -> None:
            nonlocal said
            is_end = isinstance(event, Message | Failed)
            self.failed |= isinstance(event, Failed)
            said = said and not is_end
            await emit(event)
            said = said or is_end
            if isinstance(event, Done) and said:
                shown.add(event.turn_id)

        return noted

    async def _load(self, batch_id: str) -> Loaded | None:
        batch = await self.host.core.batch(batch_id)
        if batch is None:
            return None
        self.shown = (batch.id, batch.digest)
        view = await self.host.view(await self.host.asker(), batch)
        return Loaded(batch, await self._decider(batch), view)

    async def _decider(self, batch: Batch) -> str:
        return await self.host.name_of(batch.decided_by) if batch.decided_by else ""

    async def _refused(self, error: LoreKeeperError) -> None:
        asker = await self.host.asker()
        self._trouble(error_text(error, asker.language))

    def _trouble(self, text: str) -> None:
        self.failed = True
        self.output.trouble(text)

    def _notes(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.output.note(line)
