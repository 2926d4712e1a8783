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
        raise _unknown(name, self._tools)

    def shown(self, name: str, asker: Asker) -> AnyTool:
        """Return the tool with this name, if models see it in the asker's conversation.

        Raises:
            UnknownTool: there is none that they see; names the nearest.
        """
        seen = {tool.name: tool for tool in self if _is_shown(tool, asker)}
        if name in seen:
            return seen[name]
        raise _unknown(name, seen)

    def is_read(self, name: str) -> bool:
        """Return whether the tool exists and runs at once whatever its arguments."""
        tool = self._tools.get(name)
        return tool is not None and tool.propose is None

    def may_read(self, name: str) -> bool:
        """Return whether the tool exists and runs at once for at least some arguments."""
        tool = self._tools.get(name)
        return tool is not None and tool.read is not None

    def schema(self, name: str) -> ToolSchema:
        """Return the tool as a model sees it."""
        return self._schemas[name]

    def for_model(self, asker: Asker) -> tuple[ToolSchema, ...]:
        """Return what a model may call for this asker here: switched-on families, open to their bound."""
        bounded = not isinstance(asker.bound, Author)
        return tuple(
            self._schemas[tool.name]
            for tool in self
            if _is_shown(tool, asker)
            and (tool.for_readers or not bounded)
            and (asker.conversation.series is not None or not tool.needs_series)
        )


def _is_shown(tool: AnyTool, asker: Asker) -> bool:
    switched_on = ALWAYS_ON | asker.families
    return tool.for_models and (tool.family in switched_on or tool.family in asker.conversation.families)


def _unknown(name: str, known: Iterable[str]) -> UnknownTool:
    near = process.extract(name, tuple(known), limit=3, score_cutoff=50)
    return UnknownTool(tool=name[:80], nearest=tuple(item[0] for item in near))
