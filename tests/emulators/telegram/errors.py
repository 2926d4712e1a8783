"""The refusals of the Bot API with its own texts."""

from dataclasses import dataclass, field

from tests.emulators.telegram.wire import Json


@dataclass
class ApiError(Exception):
    """A refused call; `is_wrong` marks calls that no bot has a reason to make."""

    code: int
    description: str
    parameters: Json = field(default_factory=dict)
    is_wrong: bool = False

    def body(self) -> Json:
        """Return the JSON of the answer."""
        shape: Json = {"ok": False, "error_code": self.code, "description": self.description}
        return shape | ({"parameters": self.parameters} if self.parameters else {})


def wrong(text: str) -> ApiError:
    """Return the refusal of a call that is wrong whatever the state of the chat."""
    return ApiError(400, f"Bad Request: {text}", is_wrong=True)


def refused(text: str) -> ApiError:
    """Return the refusal of a call that the state of the chat does not allow."""
    return ApiError(400, f"Bad Request: {text}")


def forbidden(text: str) -> ApiError:
    """Return the refusal of a call to people or groups that do not want the bot."""
    return ApiError(403, f"Forbidden: {text}")


def flood(retry_after_s: int) -> ApiError:
    """Return the answer to too many calls."""
    return ApiError(429, f"Too Many Requests: retry after {retry_after_s}", {"retry_after": retry_after_s})
