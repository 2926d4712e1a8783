"""`lorekeeper doctor`: says whether everything that is set up works, and what to do where it does not."""

import asyncio
import platform
import shutil
import sys
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

import typer

from adapters.chat.room import ChatError
from agent_core.clock import SystemClock
from agent_core.errors import LoreKeeperError, NotifyRefusal
from agent_core.forge.model import Forge
from agent_core.notify.notifier import Notifier
from agent_core.texts import say
from bot.cli.backup import minute_text
from bot.cli.model_check import ModelTrouble, proven_model
from bot.cli.start import TROUBLE, run_to_exit, settings_or_exit
from bot.databases import described_database
from bot.keeper import newest_nightly
from bot.services import connected_forge, guarded, message_notifier
from bot.setting_kinds import variable
from bot.settings import Settings
from bot.wiring import build

FREE_BYTES = 500_000_000
OLDEST_PYTHON = (3, 11)
OLDEST_BACKUP = timedelta(days=2)


class Health(StrEnum):
    """How a check ended; also the end of its text key."""

    OK = "ok"
    WARNING = "warning"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: what was looked at, how it is, and what a person should know."""

    what: str
    health: Health
    detail: str


def doctor() -> None:
    """Check Python, the notes, their backups, the room on the disk, the model and the bots."""
    settings = settings_or_exit()
    run_to_exit(_examine(settings), settings.language)


async def _examine(settings: Settings) -> int:
    findings = [
        _python(),
        await _database(settings),
        *([await _directus(settings)] if settings.directus_url is not None else []),
        await asyncio.to_thread(_backup, settings),
        _disk(settings),
        *([await asyncio.to_thread(_vaults, settings)] if settings.vaults else []),
        await _model(settings),
        *(await _outside(settings)),
        *([await _telegram(settings)] if settings.telegram_token is not None else []),
        *([await _discord(settings)] if settings.discord_token is not None else []),
    ]
    rows = [
        (
            say(settings.language, f"cli.doctor_{finding.what}"),
            say(settings.language, f"cli.doctor_{finding.health.value}"),
        )
        for finding in findings
    ]
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    for (what, health), finding in zip(rows, findings, strict=True):
        typer.echo(f"{what:<{widths[0]}}{health:<{widths[1]}}{finding.detail}".rstrip())
    return TROUBLE if any(finding.health is Health.TROUBLE for finding in findings) else 0


def _python() -> Finding:
    fine = sys.version_info[:2] >= OLDEST_PYTHON
    return Finding("python", Health.OK if fine else Health.TROUBLE, platform.python_version())


async def _database(settings: Settings) -> Finding:
    try:
        async with build(settings) as app:
            count = len(await app.core.askers.series.all_series())
        where = await asyncio.to_thread(described_database, settings)
    except LoreKeeperError as error:
        return Finding("database", Health.TROUBLE, say(settings.language, error.text_key, **error.facts))
    holdings = say(settings.language, "keeping.series", n=count)
    return Finding("database", Health.OK, f"{where} ({holdings})")


async def _directus(settings: Settings) -> Finding:
    from bot.cli.directus import report  # noqa: PLC0415  only where it is set up
    from bot.directus import examine  # noqa: PLC0415

    try:
        async with build(settings) as app:
            if app.canon.directus is None:
                return Finding("directus", Health.WARNING, settings.directus_url or "")
            examined = await examine(app.canon.directus)
    except LoreKeeperError as error:
        return Finding("directus", Health.TROUBLE, say(settings.language, error.text_key, **error.facts))
    detail = f"{examined.version} · {settings.directus_url}"
    sentences = report(examined, settings.language)
    if examined.findings:
        return Finding("directus", Health.TROUBLE, " ".join((detail, *sentences)))
    return Finding("directus", Health.WARNING if sentences else Health.OK, " ".join((detail, *sentences)))


def _backup(settings: Settings) -> Finding:
    language, now = settings.language, SystemClock().now()
    if settings.database_url is not None:
        return Finding("backup", Health.OK, say(language, "cli.doctor_backup_elsewhere"))
    if not settings.backup_keep:
        off = say(language, "cli.doctor_backup_off", variable=variable("backup_keep"))
        return Finding("backup", Health.WARNING, off)
    newest = newest_nightly(settings.backup_dir, settings.database.stem, now)
    if newest is None:
        return Finding("backup", Health.WARNING, say(language, "cli.doctor_backup_none"))
    fresh = now - newest < OLDEST_BACKUP
    detail = f"{minute_text(newest, settings)} · {settings.backup_dir}"
    return Finding("backup", Health.OK if fresh else Health.WARNING, detail)


def _disk(settings: Settings) -> Finding:
    folder = next(path for path in (settings.database, *settings.database.parents) if Path(path).exists())
    free = shutil.disk_usage(folder).free
    return Finding("disk", Health.OK if free > FREE_BYTES else Health.WARNING, f"{free / 1e9:.1f} GB")


def _vaults(settings: Settings) -> Finding:
    gone = tuple(str(folder) for _, folder in settings.vaults if not folder.is_dir())
    if gone:
        hint = say(settings.language, "cli.doctor_vaults_gone", folders=gone, variable=variable("vaults"))
        return Finding("vaults", Health.WARNING, hint)
    return Finding("vaults", Health.OK, ", ".join(name for name, _ in settings.vaults))


async def _model(settings: Settings) -> Finding:
    if settings.model is None:
        hint = say(settings.language, "cli.doctor_no_model", variable=variable("model"))
        return Finding("model", Health.WARNING, hint)
    try:
        calls_tools, detail = await proven_model(settings)
    except ModelTrouble as trouble:
        return Finding("model", Health.TROUBLE, str(trouble))
    return Finding("model", Health.OK if calls_tools else Health.WARNING, detail)


async def _outside(settings: Settings) -> list[Finding]:
    """Return how the git host and the channels are; a channel is not sent to."""
    async with guarded(settings) as outbound:
        forge = connected_forge(settings, outbound, SystemClock())
        notifier = await message_notifier(settings, outbound, SystemClock())
        return [
            *([await _forge(forge, settings)] if forge else []),
            *([_channels(notifier, settings)] if notifier else []),
        ]


async def _forge(forge: Forge, settings: Settings) -> Finding:
    if settings.forge_token is None:
        return Finding("forge", Health.OK, say(settings.language, "cli.doctor_forge_public"))
    try:
        seen = await forge.repos("", "", 1)
    except LoreKeeperError as error:
        return Finding("forge", Health.TROUBLE, say(settings.language, error.text_key, **error.facts))
    return Finding("forge", Health.OK, seen.forge)


def _channels(notifier: Notifier, settings: Settings) -> Finding:
    listed, lacking = [], []
    for channel in notifier.channels.values():
        try:
            notifier.plan(channel.name, "-")
            listed.append(f"{channel.name} ({channel.site})")
        except NotifyRefusal as error:
            lacking.append(say(settings.language, error.text_key, **error.facts))
    detail = " ".join(filter(None, [", ".join(listed), *lacking]))
    return Finding("channels", Health.WARNING if lacking else Health.OK, detail)


async def _telegram(settings: Settings) -> Finding:
    from adapters.telegram.connection import examine  # noqa: PLC0415  only where the bot is set up
    from bot.telegram import telegram_config  # noqa: PLC0415

    language = settings.language
    try:
        name, sees_all = await examine(telegram_config(settings))
    except ChatError as error:
        key = "token" if error.reason == "token" else "unreachable"
        detail = say(language, f"cli.doctor_telegram_{key}", variable=variable("telegram_token"))
        return Finding("telegram", Health.TROUBLE, detail)
    if sees_all:
        return Finding("telegram", Health.OK, f"@{name}")
    return Finding("telegram", Health.OK, say(language, "cli.doctor_telegram_privacy", name=name))


async def _discord(settings: Settings) -> Finding:
    from adapters.discord.examine import examine  # noqa: PLC0415  only where the bot is set up
    from bot.discord import discord_settings  # noqa: PLC0415

    language = settings.language
    try:
        bot = await examine(discord_settings(settings))
    except ChatError as error:
        key = "token" if error.reason == "token" else "unreachable"
        detail = say(language, f"cli.doctor_discord_{key}", variable=variable("discord_token"))
        return Finding("discord", Health.TROUBLE, detail)
    lacking = "" if bot.reads_content else say(language, "cli.doctor_discord_content")
    detail = say(language, "cli.doctor_discord_invite", name=bot.name, link=bot.invite, lacking=lacking)
    return Finding("discord", Health.OK if bot.reads_content else Health.WARNING, detail)
