"""A scheduled run in a conversation of HTTP: told to all who listen, and kept for those who come later."""

from dataclasses import dataclass

from adapters.http.asking import hand_over
from adapters.http.channel import Teller
from adapters.http.host import Host
from adapters.scheduled import Posting, Reach, Work
from agent_core.events import Emit
from agent_core.people.model import Person


@dataclass(frozen=True, slots=True)
class ChannelOutlet:
    """Shows runs to those who listen to a conversation."""

    host: Host

    async def show(self, posting: Posting, work: Work) -> Reach:
        """Tell the heading as a notice, do the work, and tell what it emits."""

        async def carried(emit: Emit) -> Reach:
            await work(emit)
            await hand_over(self.host, teller)
            return Reach.SHOWN

        asker = posting.asker
        with self.host.works.held(asker.conversation.id) as channel:
            teller = Teller(channel=channel, message=posting.turn, turn=posting.turn)
            await channel.publish("notice", {"text": posting.heading}, message=posting.turn)
            run = self.host.works.start(teller, carried, asker.language)
            return await run.ended()

    async def tell(self, person: Person, text: str, language: str) -> bool:
        """Return False: nobody is called here who is not here by themselves."""
        return False
