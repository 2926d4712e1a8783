"""The help: what there is to type, or how one command is written."""

from adapters.cards import Card, Field, Line, Style
from adapters.commands import BY_NAME, COMMANDS
from agent_core.texts import has, say


def help_card(language: str, name: str = "") -> Card:
    """Return the help on all commands, or on one (or one group, such as scene)."""
    name = " ".join(name.removeprefix("/").lower().split())
    if name in BY_NAME:
        return Card(
            title=f"/{name}", lines=(Line(text=say(language, f"about.{name}")), *_examples(language, name))
        )
    if name and has(f"usage.{name}"):
        return Card(title=f"/{name}", lines=_examples(language, name))
    commands = tuple(
        Line(label=f"/{command.name}", text=say(language, f"about.{command.name}")) for command in COMMANDS
    )
    hints = tuple(
        Line(text=say(language, f"help.{key}"), style=Style.NOTE)
        for key in ("places", "known", "values", "changes", "more")
    )
    intro = say(language, "command_error.no_help", name=name) if name else say(language, "help.intro")
    return Card(
        title=say(language, "help.title"),
        lines=(Line(text=intro),),
        fields=(
            Field(title=say(language, "help.commands"), lines=commands),
            Field(title=say(language, "help.writing"), lines=hints),
        ),
    )


def _examples(language: str, name: str) -> tuple[Line, ...]:
    examples = say(language, f"usage.{name}").split(" · ")
    return tuple(Line(text=example, depth=1) for example in examples)
