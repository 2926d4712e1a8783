"""The methods of the Bot API that are emulated, by name."""

from collections.abc import Callable

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.methods import (
    chats,
    commands,
    editing,
    files,
    queries,
    reactions,
    sending,
    topics,
    updates,
)
from tests.emulators.telegram.world import World

Method = Callable[[World, Call], object]

METHODS: dict[str, Method] = {
    **chats.METHODS,
    **commands.METHODS,
    **editing.METHODS,
    **files.METHODS,
    **queries.METHODS,
    **reactions.METHODS,
    **sending.METHODS,
    **topics.METHODS,
    **updates.METHODS,
}
BY_LOWER_NAME = {name.lower(): name for name in METHODS}
