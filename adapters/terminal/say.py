"""The terminal without a keyboard: says what it was given, decides as it was told, returns an exit code."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from adapters.terminal.decision import NoSuchLine, picked
from adapters.terminal.dialogue import Dialogue
from adapters.terminal.host import Host
from adapters.terminal.interrupt import interruptible
from adapters.terminal.output import Output
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch
from agent_core.texts import say

FINE = 0
TROUBLE = 1
INTERRUPTED = 130


class Verdict(StrEnum):
    """What happens to cards that come up."""

    LEAVE = "leave"
    YES = "yes"
    NO = "no"
    PICK = "pick"


@dataclass(frozen=True, slots=True)
class Instruction:
    """What to say, in order, and how to decide; without texts the open card is decided."""

    texts: Sequence[str] = ()
    verdict: Verdict = Verdict.LEAVE
    pick: str = ""


async def say_all(instruction: Instruction, host: Host, output: Output) -> int:
    """Return 0 if all went well, 1 if anything was refused, failed, or had nothing to decide.

    Ctrl-C stops what runs and leaves out the rest; 130 then.
    """
    dialogue = Dialogue(host=host, output=output)
    if await interruptible(dialogue.catch_up(), dialogue.stop):
        return INTERRUPTED
    for text in instruction.texts:
        if await interruptible(dialogue.take(text), dialogue.stop):
            return INTERRUPTED
        if instruction.verdict is not Verdict.LEAVE:
            await _decide(instruction, dialogue)
    if not instruction.texts and not await _decide(instruction, dialogue):
        language = (await host.asker()).language
        output.trouble(say(language, "terminal.nothing_open"))
        return TROUBLE
    return TROUBLE if dialogue.failed else FINE


async def _decide(instruction: Instruction, dialogue: Dialogue) -> bool:
    """Decide what is open; return whether there was anything. A card after a conflict stays open."""
    batch = await dialogue.waiting()
    if batch is None:
        return False
    decision = await _decision(instruction, batch, dialogue)
    if decision is not None:
        await dialogue.decide(batch, decision)
    return True


async def _decision(instruction: Instruction, batch: Batch, dialogue: Dialogue) -> Decision | None:
    match instruction.verdict:
        case Verdict.YES:
            return Decision(approve=True, digest=batch.digest)
        case Verdict.NO:
            return Decision(approve=False, digest=batch.digest)
        case Verdict.LEAVE:
            return None
    found = picked(instruction.pick, batch)
    if isinstance(found, NoSuchLine):
        language = (await dialogue.host.asker()).language
        dialogue.failed = True
        dialogue.output.trouble(say(language, "terminal.no_line", number=found.number))
        return None
    return found
