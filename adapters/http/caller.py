"""Says who makes a request: by a token, or, on this machine alone, the operator `local` without one.

Without a token a request is believed only if it comes from this machine, names this machine as its host
(a foreign page that had its name point here would name itself), comes from no foreign page, and was passed
on by no proxy, behind which anybody may stand.
"""

import ipaddress
from urllib.parse import urlsplit

from fastapi import Request

from adapters.http.host import Caller, Host
from adapters.http.problems import Problem, language_of
from agent_core.people.model import Identity

LOCAL = Identity("terminal", "local")
"""The person at this machine, at the terminal as in the browser."""

_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
_WANTS_TOKEN = {"www-authenticate": "Bearer"}


def is_loopback(address: str) -> bool:
    """Return whether an address or host name is this machine alone."""
    if address in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


async def caller_of(request: Request) -> Caller:
    """Return who makes the request.

    Raises:
        Problem: 401 without a token that is good, 403 from a foreign page.
    """
    host: Host = request.app.state.host
    settings = host.app.settings
    _check_origin(request, tuple(settings.http_origins.split()))
    language = language_of(request.scope, settings.language)
    header = request.headers.get("authorization")
    if header is None:
        _check_local(request)
        people, fresh = host.core.askers.people, host.core.runtime.new_id()
        person = await people.person_for(LOCAL, settings.user_name, new_id=fresh, operator=True)
        return Caller(person=person, language=language)
    scheme, _, token = header.partition(" ")
    known = await host.app.tokens.person_of(token.strip()) if scheme.lower() == "bearer" else None
    found = await host.core.askers.people.person(known) if known else None
    if found is None:
        raise Problem(401, "token", _WANTS_TOKEN)
    return Caller(person=found, language=language)


def _check_origin(request: Request, allowed: tuple[str, ...]) -> None:
    origin = request.headers.get("origin")
    if origin in allowed:
        return
    # A proxy may have taken TLS off, so that only the host can be compared.
    is_foreign = origin is not None and origin.partition("://")[2] != request.headers.get("host", "")
    if is_foreign or request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
        raise Problem(403, "origin")


def _check_local(request: Request) -> None:
    named = _host_name(request.headers.get("host", ""))
    is_near = request.client is not None and is_loopback(request.client.host)
    is_passed_on = any(name in request.headers for name in _FORWARDED)
    if not (is_near and named in _LOCAL_NAMES) or is_passed_on:
        raise Problem(401, "token", _WANTS_TOKEN)


def _host_name(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
