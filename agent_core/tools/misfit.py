"""Says what is wrong with arguments: all of it for models, the first in words of ours for people."""

import re
from collections.abc import Mapping

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agent_core.errors import Fact, InvalidArguments

_REPEATED_CHARS = 80
_REASONS = {
    "string_too_long": "long",
    "string_too_short": "short",
    "string_type": "text",
    "string_pattern_mismatch": "form",
    "int_parsing": "number",
    "int_type": "number",
    "int_from_float": "number",
    "float_parsing": "number",
    "float_type": "number",
    "bool_parsing": "truth",
    "bool_type": "truth",
    "greater_than": "small",
    "greater_than_equal": "small",
    "less_than": "large",
    "less_than_equal": "large",
    "missing": "missing",
    "extra_forbidden": "extra",
    "literal_error": "choice",
    "enum": "choice",
}
_LIMITS = {
    "max_length": "most",
    "min_length": "least",
    "ge": "least",
    "le": "most",
    "gt": "above",
    "lt": "below",
}


def misfit(tool: str, error: ValidationError) -> InvalidArguments:
    """Return what the arguments of a tool are refused with."""
    found = error.errors(include_url=False)
    problems = tuple(f"{_field(one) or 'arguments'}: {one['msg']}" for one in found)
    reason = _REASONS.get(found[0]["type"])
    if reason is None:
        return InvalidArguments(tool=tool, problems=problems)
    return InvalidArguments(tool=tool, problems=problems, reason=reason, **_facts(found[0]))


def _facts(problem: ErrorDetails) -> Mapping[str, Fact]:
    context = problem.get("ctx", {})
    given = problem["input"]
    got = str(given) if isinstance(given, str | int | float) else ""
    if len(got) > _REPEATED_CHARS:
        got = f"{got[:_REPEATED_CHARS]}…"
    limits = {name: context[limit] for limit, name in _LIMITS.items() if limit in context}
    choices = tuple(re.findall(r"'([^']*)'", str(context.get("expected", ""))))
    return {"field": _field(problem), "got": got, "choices": choices, **limits}


def _field(problem: ErrorDetails) -> str:
    return ".".join(str(part) for part in problem["loc"])
