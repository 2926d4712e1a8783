"""What people and models are told of arguments that do not fit."""

from collections.abc import Mapping
from typing import Literal

import pytest
from pydantic import Field, ValidationError

from agent_core.errors import InvalidArguments
from agent_core.messages import Json
from agent_core.texts import say
from agent_core.tools.misfit import misfit
from agent_core.tools.spec import Args


class Forms(Args):
    """One field for each kind of trouble."""

    name: str = Field("x", min_length=1, max_length=200)
    count: int = Field(1, ge=1, le=9)
    share: float = Field(1.0, gt=0, lt=2)
    order: Literal["story", "book"] = "story"
    sure: bool = True
    code: str = Field("a", pattern="^a")


class Needs(Args):
    """A field that has to be there."""

    new_name: str


def refused(given: Mapping[str, Json], args: type[Args] = Forms) -> InvalidArguments:
    with pytest.raises(ValidationError) as caught:
        args.model_validate(given)
    return misfit("forms", caught.value)


GIVEN: list[tuple[dict[str, Json], str]] = [
    ({"name": "y" * 201}, f"“{'y' * 80}…” is too long: at most 200 characters fit."),
    ({"name": ""}, "That is too short (name); the least length is 1."),
    ({"name": ["a"]}, "A text is needed there (name)."),
    ({"count": "many"}, "“many” doesn’t fit: a number is needed there (count)."),
    ({"count": 0}, "0 is too small there (count): 1 is the least."),
    ({"count": 10}, "10 is too large there (count): 9 is the most."),
    ({"share": 0}, "0 is too small there (share): it has to be more than 0.0."),
    ({"share": 2}, "2 is too large there (share): it has to be less than 2.0."),
    ({"order": "odd"}, "“odd” doesn’t fit there (order). These do: story, book."),
    ({"sure": "perhaps"}, "“perhaps” doesn’t fit: yes or no is needed there (sure)."),
    ({"code": "b"}, "“b” hasn’t the form that is needed there (code)."),
    ({"colour": "red"}, "There is nothing of that name here: colour."),
]


@pytest.mark.parametrize(("given", "told"), GIVEN)
def test_people_read_a_sentence_of_the_catalogue(given: dict[str, Json], told: str) -> None:
    error = refused(given)

    assert say("en", error.text_key, **error.facts).startswith(told)
    for language in ("de", "fr"):
        text = say(language, error.text_key, **error.facts)
        assert not any(word in text for word in ("should", "Input", "Field", "Nothing", "Extra"))


def test_people_read_what_is_missing() -> None:
    error = refused({}, Needs)

    assert "missing there: newName." in say("en", error.text_key, **error.facts)


def test_models_keep_every_field_in_the_words_they_know() -> None:
    error = refused({"count": 0, "order": "odd"})

    assert error.for_model() == (
        "InvalidArguments: tool=forms, problems=[count: Input should be greater than or equal to 1; "
        "order: Input should be 'story' or 'book']"
    )
