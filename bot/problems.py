"""Says in sentences, each with the name of its variable, why settings can't be used."""

from collections.abc import Callable

from pydantic import ValidationError
from pydantic_core import ErrorDetails


def problem_sentences(error: ValidationError, variable: Callable[[str], str]) -> tuple[str, ...]:
    """Return a sentence for each problem; `variable` gives the name of the variable of a field."""
    return tuple(
        _sentence(details, variable)
        for details in error.errors(include_url=False)
        if details["type"] != "default_factory_not_called"  # follows from another problem
    )


def _sentence(details: ErrorDetails, variable: Callable[[str], str]) -> str:
    if not details["loc"]:
        return str(details["ctx"]["error"])
    name = str(details["loc"][0])
    return f"{name if name.isupper() else variable(name)} {_complaint(details)}."


def _complaint(details: ErrorDetails) -> str:
    value, facts = repr(details["input"])[:60], details.get("ctx", {})
    match details["type"]:
        case "value_error":
            return str(facts["error"])
        case "int_parsing" | "int_parsing_size" | "int_from_float":
            return f"is {value}, but must be a whole number"
        case "float_parsing" | "decimal_parsing" | "finite_number":
            return f"is {value}, but must be a number"
        case "greater_than_equal":
            return f"is {value}, but must be {facts['ge']:g} or more"
        case "greater_than":
            return f"is {value}, but must be more than {facts['gt']:g}"
        case "less_than_equal":
            return f"is {value}, but must be {facts['le']:g} or less"
        case "literal_error":
            return f"is {value}, but must be one of {facts['expected']}"
    return "has a value that cannot be used"
