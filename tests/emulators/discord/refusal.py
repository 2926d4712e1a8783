"""The refusals of Discord's REST interface: status, JSON code and message."""

from typing import Final

from tests.emulators.discord.model import Json

MESSAGES: Final[dict[int, tuple[int, str]]] = {
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (400, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    30010: (403, "Maximum number of reactions reached (20)"),
    30046: (400, "Maximum number of edits to messages older than 1 hour reached. Try again later"),
    40005: (413, "Request entity too large"),
    40058: (403, "Cannot message this thread until after the post author has sent an initial message."),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50003: (400, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "Missing Permissions"),
    50021: (403, "Cannot execute action on a system message"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50034: (400, "You can only bulk delete messages that are under 14 days old."),
    50035: (400, "Invalid Form Body"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    160002: (403, "Cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
}


class Refused(Exception):
    """A request that Discord refuses with `code`; `errors` names the fields."""

    def __init__(self, code: int, *, errors: Json | None = None, status: int | None = None) -> None:
        known_status, self.message = MESSAGES.get(code, (400, "Refused"))
        super().__init__(f"{code} {self.message}")
        self.code = code
        self.status = status or known_status
        self.errors = errors

    @property
    def body(self) -> Json:
        """The JSON body that Discord answers."""
        body: Json = {"message": self.message, "code": self.code}
        if self.errors is not None:
            body["errors"] = self.errors
        return body


class Form:
    """Collects what is wrong with a body, field by field, and refuses it with 50035."""

    def __init__(self) -> None:
        self._errors: Json = {}

    def wrong(self, path: str, code: str, message: str) -> None:
        """Note that the field at the dotted `path` is wrong."""
        place = self._errors
        for step in path.split("."):
            place = place.setdefault(step, {})
        place.setdefault("_errors", []).append({"code": code, "message": message})

    def length(self, path: str, value: object, low: int, high: int) -> None:
        """Check that `value` is a text of `low` to `high` code points."""
        if not isinstance(value, str):
            self.wrong(path, "BASE_TYPE_REQUIRED", "This field is required")
        elif not low <= len(value) <= high:
            code = "BASE_TYPE_MAX_LENGTH" if len(value) > high else "BASE_TYPE_MIN_LENGTH"
            text = (
                f"Must be between {low} and {high} in length."
                if low
                else f"Must be {high} or fewer in length."
            )
            self.wrong(path, code, text)

    def at_most(self, path: str, value: str | None, high: int) -> None:
        """Check an optional text."""
        if value is not None:
            self.length(path, value, 0, high)

    def count(self, path: str, values: object, low: int, high: int) -> bool:
        """Check that `values` is a list of `low` to `high` entries and return whether it is a list."""
        if not isinstance(values, list):
            self.wrong(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return False
        if not low <= len(values) <= high:
            self.wrong(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")
        return True

    def choice(self, path: str, value: object, choices: frozenset[int]) -> None:
        """Check that `value` is one of `choices`."""
        if value not in choices:
            listed = ", ".join(map(str, sorted(choices)))
            self.wrong(path, "BASE_TYPE_CHOICES", f"Value must be one of {{{listed}}}.")

    def close(self) -> None:
        """Refuse the body if anything was wrong.

        Raises:
            Refused: 50035.
        """
        if self._errors:
            raise Refused(50035, errors=self._errors)
