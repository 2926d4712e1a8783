"""A client whose names all lead to this machine, where the test's site is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent_core.outbound.address import PrivateHosts

OWN = PrivateHosts(["site.test", "other.test"])


@dataclass(slots=True)
class Names:
    """A resolver: answers by name, one after the other where several are given; counts what it is asked."""

    known: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.known.get(host)
        if answers is None:
            return ("127.0.0.1",)
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if not answer:
            raise OSError("no such host")
        return answer
