"""The settings that a terminal session has of its own."""

from collections.abc import Mapping, Sequence

from adapters import zones
from adapters.families import families_text, family_named, switch
from adapters.surface import Verbosity
from adapters.terminal.host import Host
from adapters.terminal.output import Output
from agent_core.texts import LANGUAGES, say
from agent_core.tools.spec import Asker


async def settings_lines(
    options: Mapping[str, str], asker: Asker, host: Host, output: Output
) -> Sequence[str]:
    """Change a setting, or list them; return what to say."""
    language, value = asker.language, options.get("value", "").lower()
    family = family_named(options.get("name", ""))
    if family is not None:
        return [await switch(host.core, asker, family, value)]
    if options.get("name", "").lower() in zones.NAMES:
        return [await zones.set_zone(host.core, asker, options.get("value", ""))]
    match options.get("name", "").lower():
        case "":
            return _listed(asker, output.verbosity)
        case "language" | "sprache" | "langue":
            return [await _set_language(language, value, host)]
        case "trace" | "verlauf" | "déroulé":
            return [_set_trace(language, value, output)]
    return [say(language, "terminal.bad_setting", usage=say(language, "usage.settings"))]


def _listed(asker: Asker, verbosity: Verbosity) -> Sequence[str]:
    language = asker.language
    shown = {
        "language": say(language, f"language.{language}"),
        "trace": say(language, f"trace_mode.{verbosity.value}"),
        zones.ZONE: asker.conversation.time_zone,
        "families": families_text(asker),
    }
    lines = [say(language, "terminal.setting_line", name=name, value=value) for name, value in shown.items()]
    return [*lines, say(language, "usage.settings")]


async def _set_language(language: str, value: str, host: Host) -> str:
    if value not in LANGUAGES:
        return say(language, "terminal.no_language", value=value)
    await host.set_language(value)
    return say(value, "terminal.language_set")


def _set_trace(language: str, value: str, output: Output) -> str:
    if value not in set(Verbosity):
        return say(language, "terminal.no_trace", value=value)
    output.verbosity = Verbosity(value)
    return say(language, "terminal.trace_set", value=value)
