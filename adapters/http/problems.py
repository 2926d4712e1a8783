"""Every refusal as a problem document (RFC 9457), in the caller's language, with nothing of our inside."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from agent_core import errors
from agent_core.errors import Fact, LoreKeeperError
from agent_core.messages import Json
from agent_core.pipeline.redaction import Redaction
from agent_core.texts import say
from agent_core.texts.catalogue import LANGUAGES, pick

TYPE = "urn:lorekeeper:problem:"
MEDIA_TYPE = "application/problem+json"
MAX_FIELDS = 20

_STATUS: Mapping[type[LoreKeeperError], int] = {
    errors.InvalidArguments: 422,
    errors.UnknownTool: 404,
    errors.NotPermitted: 403,
    errors.RateLimited: 429,
    errors.BudgetSpent: 429,
    errors.BatchClosed: 409,
    errors.NotYourBatch: 403,
    errors.NotLinked: 409,
    errors.UnknownMessage: 404,
    errors.UnknownEntity: 404,
    errors.UnknownPosition: 404,
    errors.UnknownScene: 404,
    errors.UnknownChange: 404,
    errors.AmbiguousEntity: 409,
    errors.AmbiguousPosition: 409,
    errors.DuplicateEntity: 409,
    errors.NothingToDo: 409,
    errors.PlaceGone: 409,
    errors.LoreRefusal: 422,
    errors.Refusal: 409,
    errors.Conflict: 409,
    errors.StoreFailure: 503,
    errors.ModelFailure: 502,
    errors.ToolTimeout: 504,
    errors.ImportFailure: 422,
}
_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}  # which older Pythons call otherwise
_BY_STATUS = {404: "not_found", 405: "method", 413: "too_large", 415: "media_type", 401: "token"}

logger = logging.getLogger(__name__)


class Problem(Exception):
    """A refusal of the API itself; the catalogue has its sentence under `http.<key>`."""

    def __init__(
        self, status: int, key: str, headers: Mapping[str, str] | None = None, **facts: Fact
    ) -> None:
        super().__init__(key)
        self.status = status
        self.key = key
        self.headers = headers
        self.facts = facts


def not_found() -> Problem:
    """Return the answer to whatever is not there, or not for this caller: always the same."""
    return Problem(404, "not_found")


def language_of(scope: Scope, default: str) -> str:
    """Return the language of ours that the request asks for first, else the default."""
    header = next((value for name, value in scope["headers"] if name == b"accept-language"), b"")
    tags = [part.partition(";")[0].strip().lower() for part in header.decode("latin-1")[:200].split(",")]
    return next((pick(tag) for tag in tags if tag[:2] in LANGUAGES), default)


def status_of(error: LoreKeeperError) -> int:
    """Return the status code of an error of ours."""
    if isinstance(error, errors.BatchClosed) and error.facts.get("reason") == "missing":
        return 404
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)


def problem_response(
    status: int,
    key: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    fields: Sequence[str] = (),
) -> Response:
    """Return a problem document; `fields` are the places in the request that don't fit."""
    body: dict[str, Json] = {
        "type": TYPE + key.replace(".", ":").replace("_", "-"),
        "title": _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if fields:
        body["fields"] = list(fields)
    return JSONResponse(body, status, dict(headers or {}), media_type=MEDIA_TYPE)


def answer_with_problems(app: FastAPI, redaction: Redaction, default_language: str) -> None:
    """Let the application answer every error with a problem document."""

    def language(request: Request) -> str:
        return language_of(request.scope, default_language)

    @app.exception_handler(Problem)
    async def _own(request: Request, problem: Problem) -> Response:
        detail = say(language(request), f"http.{problem.key}", **problem.facts)
        return problem_response(problem.status, problem.key, detail, headers=problem.headers)

    @app.exception_handler(LoreKeeperError)
    async def _refused(request: Request, error: LoreKeeperError) -> Response:
        facts = {name: _whole(fact) for name, fact in error.facts.items()}
        detail = redaction.own(say(language(request), error.text_key, **facts))
        wait = facts.get("retry_after_s")
        headers = {"retry-after": str(wait)} if isinstance(wait, int) else None
        return problem_response(
            status_of(error), error.text_key.removeprefix("error."), detail, headers=headers
        )

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        found = error.errors()
        if any(one["type"] == "json_invalid" for one in found):
            return problem_response(400, "not_json", say(language(request), "http.not_json"))
        fields = list(dict.fromkeys(".".join(map(str, one["loc"])) for one in found))[:MAX_FIELDS]
        shown = [redaction.own(field)[:80] for field in fields]
        detail = say(language(request), "http.invalid", fields=tuple(shown))
        return problem_response(422, "invalid", detail, fields=shown)

    @app.exception_handler(Exception)
    async def _broke(request: Request, error: Exception) -> Response:  # logged by the server, which raises it
        return problem_response(500, "internal", say(language(request), "error.internal"))

    @app.exception_handler(HTTPException)
    async def _plain(request: Request, error: HTTPException) -> Response:
        key = _BY_STATUS.get(error.status_code, "refused")
        detail = say(language(request), f"http.{key}")
        return problem_response(error.status_code, key, detail, headers=error.headers)


def _whole(fact: Fact) -> Fact:
    return round(fact) if isinstance(fact, float) else fact
