"""Every tool by name, and which of them one asker sees."""

from collections.abc import Iterable, Iterator

from rapidfuzz import process

from agent_core.errors import UnknownTool
from agent_core.llm.schema import tool_schema
from agent_core.lore.model import Author
from agent_core.messages import ToolSchema
from agent_core.tools.spec import AnyTool, Asker, Family

ALWAYS_ON = frozenset({Family.LORE, Family.PLACE})


class Registry:
    """A frozen table of tools."""

    def __init__(self, tools: Iterable[AnyTool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._schemas = {
            tool.name: tool_schema(tool.name, tool.description, tool.args) for tool in self._tools.values()
        }

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def get(self, name: str) -> AnyTool:
        """Return the tool with this name.

        Raises:
            UnknownTool: there is none; names the nearest.
        """
        if name in self._tools:
            return self._tools[name]
        near = process.extract(name, self._tools.keys(), limit=3, score_cutoff=50)
        raise UnknownTool(tool=name[:80], nearest=tuple(item[0] for item in near))

    def is_read(self, name: str) -> bool:
        """Return whether the tool exists and runs at once whatever its arguments."""
        tool = self._tools.get(name)
        return tool is not None and tool.propose is None

    def schema(self, name: str) -> ToolSchema:
        """Return the tool as a model sees it."""
        return self._schemas[name]

    def for_model(self, asker: Asker) -> tuple[ToolSchema, ...]:
        """Return what a model may call for this asker here: switched-on families, open to their bound."""
        families = ALWAYS_ON | {Family(name) for name in asker.conversation.families}
        bounded = not isinstance(asker.bound, Author)
        return tuple(
            self._schemas[tool.name]
            for tool in self
            if tool.for_models
            and tool.family in families
            and (tool.for_readers or not bounded)
            and (asker.conversation.series is not None or not tool.needs_series)
        )
