"""A scheduled run at the terminal: printed above the prompt, when nothing else is being shown there."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from prompt_toolkit.application import in_terminal

from adapters.scheduled import Posting, Reach, Work
from adapters.terminal.dialogue import Dialogue
from agent_core.events import Delta, Emit, Event
from agent_core.people.model import Person


@dataclass(frozen=True, slots=True)
class TerminalOutlet:
    """Shows runs in the conversation of the session that is open."""

    dialogue: Dialogue

    async def show(self, posting: Posting, work: Work) -> Reach:
        """Do the work, then print the heading and what it has emitted: nobody waits for it line by line."""
        here = await self.dialogue.host.asker()
        if here.conversation.id != posting.asker.conversation.id:
            return Reach.AWAY
        told: list[Event] = []

        async def keep(event: Event) -> None:
            if not isinstance(event, Delta):
                told.append(event)

        async def tell(emit: Emit) -> None:
            for event in told:
                await emit(event)

        await work(keep)
        async with self.dialogue.printing, above_the_prompt():
            await self.dialogue.show_aside(posting.heading, tell)
        return Reach.SHOWN

    async def tell(self, person: Person, text: str, language: str) -> bool:
        """Return False: nobody is called here who is not here by themselves."""
        return False


def above_the_prompt() -> AbstractAsyncContextManager[None]:
    """Return what puts a prompt aside, if there is one, while something is printed."""
    return in_terminal()
