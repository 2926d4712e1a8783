"""Lays a Directus out for the canon, and looks whether it is as it should be."""

import secrets
from dataclasses import dataclass

from agent_core.clock import SystemClock
from agent_core.stores.directus import access, schema
from agent_core.stores.directus.client import open_client
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.shown import Unfit
from bot.canon_in_directus import InDirectus
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class LaidOut:
    """What `init` has found and done. `token` is one that was made up, to be put into the settings."""

    version: str
    steps: tuple[schema.Step, ...]
    obstacles: tuple[schema.Obstacle, ...]
    is_done: bool = False
    token: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """What `check` has found; `lacking` are series of our own tables that Directus has not."""

    version: str
    findings: tuple[access.Finding, ...]
    unfit: tuple[Unfit, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether nothing has to be done."""
        return not (self.findings or self.unfit or self.lacking)


async def lay_out(settings: Settings, *, apply: bool) -> LaidOut:
    """Return what is missing, after making it with `apply`, unless something stands in the way.

    Raises:
        DirectusFailure: Directus can't be asked, or refuses the administrator's token.
    """
    url, admin_token = settings.directus_url, settings.directus_admin_token
    if url is None or admin_token is None:
        raise DirectusFailure(reason=DirectusCause.ADMIN)
    async with open_client(url, admin_token.get_secret_value(), SystemClock(), deadline_s=60) as admin:
        version = await access.version(admin)
        plan = schema.plan(await schema.survey(admin))
        if plan.obstacles or not apply:
            return LaidOut(version, plan.steps, plan.obstacles)
        await schema.apply(admin, plan.steps)
        left = schema.plan(await schema.survey(admin))
        if left.steps or left.obstacles:
            raise DirectusFailure(reason=DirectusCause.DRIFT)
        made_up = "" if settings.directus_token else secrets.token_urlsafe(32)
        token = settings.directus_token.get_secret_value() if settings.directus_token else made_up
        await access.grant(admin, token)
        return LaidOut(version, plan.steps, (), is_done=True, token=made_up)


async def examine(directus: InDirectus) -> Examined:
    """Return how things stand in Directus.

    Raises:
        StoreFailure: it can't be asked.
    """
    version, findings = await directus.version(), await directus.check()
    if findings:
        return Examined(version, findings)
    there = await directus.series.all_series()
    unfit = [one for series in there for one in await directus.lore.unfit(series.id)]
    known = {series.id for series in there}
    own = await directus.own.all_series()
    return Examined(version, (), tuple(unfit), tuple(one.name for one in own if one.id not in known))
