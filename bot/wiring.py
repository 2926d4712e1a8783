"""Builds the application from settings: the only place that names concrete stores and models."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from adapters.scheduled import Outlets
from agent_core.clock import Clock, NewId, SystemClock, new_id
from agent_core.conversation.events import EventStore
from agent_core.conversation.files import Files
from agent_core.core import Core
from agent_core.exporting.store import TransferStore
from agent_core.importing.uploads import Uploads
from agent_core.llm.base import ChatModel
from agent_core.llm.tool_calling import ProvenModel, ToolCalling
from agent_core.people.codes import Codes
from agent_core.people.linking import Linking
from agent_core.people.pairing import Pairing
from agent_core.people.spending import Budgets, Limit, Prices, Spending
from agent_core.people.tokens import Tokens
from agent_core.pipeline.audit import Audit
from agent_core.pipeline.confirmations import Lifetime
from agent_core.pipeline.execute import Execution
from agent_core.pipeline.journal import Journal
from agent_core.pipeline.journal_file import JournalFile
from agent_core.pipeline.open_cards import OpenCards
from agent_core.pipeline.rate_limit import RateLimit
from agent_core.pipeline.redaction import Redaction
from agent_core.pipeline.store import JournalStore
from agent_core.pipeline.telemetry import ObservedModel, ObservedPipeline, Telemetry
from agent_core.schedule.schedule import Limits, Schedule
from agent_core.stores.sql.chat import SqlChatStore
from agent_core.stores.sql.codes import SqlCodeStore
from agent_core.stores.sql.commits import AfterCommit
from agent_core.stores.sql.conversation import SqlConversationStore
from agent_core.stores.sql.database import Database
from agent_core.stores.sql.events import SqlEventStore
from agent_core.stores.sql.files import SqlFileStore
from agent_core.stores.sql.journal import SqlJournalStore
from agent_core.stores.sql.note_index import SqliteNoteIndex
from agent_core.stores.sql.operators import SqlOperatorStore
from agent_core.stores.sql.people import SqlPeopleStore
from agent_core.stores.sql.pipeline import SqlPipelineStore
from agent_core.stores.sql.schedule import SqlScheduleStore
from agent_core.stores.sql.tokens import SqlTokenStore
from agent_core.stores.sql.tool_calling import SqlToolCallingStore
from agent_core.stores.sql.turn import SqlTurnStore
from agent_core.stores.sql.usage import SqlUsageStore
from agent_core.stores.sql.vaults import SqlVaultStore
from agent_core.texts.catalogue import LANGUAGES, load
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.registry import Registry
from agent_core.tools.services import Services
from agent_core.tools.spec import AnyTool
from agent_core.turn.askers import Askers
from agent_core.turn.budget import Budget
from agent_core.turn.decide import Decisions
from agent_core.turn.instructions import load_prompts
from agent_core.turn.notices import Notices
from agent_core.turn.order import TurnOrder
from agent_core.turn.runtime import Runtime
from agent_core.vault.backups import Backups
from agent_core.vault.folder import Folder
from agent_core.vault.notes import Vaults
from agent_core.vault.vault import Vault
from bot.canon import CanonStores, open_canon
from bot.databases import open_notes
from bot.services import open_services
from bot.settings import Settings
from bot.telemetry import watching


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A running application. `audit` reads back what `core` has written; `transfer` moves whole series."""

    core: Core
    canon: CanonStores
    audit: JournalStore
    transfer: TransferStore
    tools: Registry
    settings: Settings
    model: ChatModel
    pairing: Pairing
    tokens: Tokens
    events: EventStore
    tool_calling: ToolCalling
    schedule: Schedule
    outlets: Outlets = field(default_factory=dict)


@asynccontextmanager
async def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    ids: NewId = new_id,
    model: ChatModel | None = None,
    tools: Iterable[AnyTool] = TOOLS,
    after_commit: AfterCommit | None = None,
    telemetry: Telemetry | None = None,
    host: str = "",
) -> AsyncIterator[App]:
    """Give the application with its database open and migrated; everything is closed on leaving.

    `host` stands for this machine among those that share the database, by default under its own name.

    Raises:
        StoreFailure: the database can't be opened.
    """
    clock = clock or SystemClock()
    await asyncio.to_thread(_read_package_texts)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_notes(settings, after_commit))
        if model is None:
            model = await stack.enter_async_context(open_model(settings))
        model = ProvenModel(model)
        registry = Registry(tools)
        audited = await stack.enter_async_context(_journal(settings, database))
        if telemetry is None:
            telemetry = await stack.enter_async_context(watching(settings))
        vaults = await stack.enter_async_context(_notes(settings, database, clock))
        schedule = _schedule(settings, database, clock, ids)
        services = await stack.enter_async_context(open_services(settings, clock, schedule))
        canon = await stack.enter_async_context(open_canon(settings, database, clock, ids))
        core = _core(
            settings, database, canon, model, registry, clock, ids, audited, telemetry, vaults, services, host
        )
        calling = ToolCalling(
            model=model,
            endpoint=settings.model_base_url or "",
            store=SqlToolCallingStore(database),
            clock=clock,
        )
        await calling.recall()
        yield App(
            core=core,
            canon=canon,
            audit=SqlJournalStore(database),
            transfer=canon.transfer,
            tools=registry,
            settings=settings,
            model=model,
            pairing=_pairing(core),
            tokens=Tokens(store=SqlTokenStore(database), clock=clock),
            events=SqlEventStore(database),
            tool_calling=calling,
            schedule=schedule,
        )


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[ChatModel]:
    """Give the model that the settings name, or the offline responder."""
    if settings.model is None or settings.model_base_url is None:
        from agent_core.llm.offline import OfflineResponder  # noqa: PLC0415  each model loads what it needs only

        yield OfflineResponder()
        return
    from agent_core.llm.openai import CallLimits, Endpoint, OpenAIChatModel  # noqa: PLC0415  a slow import

    endpoint = Endpoint(settings.model_base_url, settings.model, settings.model_api_key)
    limits = CallLimits(deadline_s=settings.model_timeout_s, at_once=settings.model_concurrency)
    async with OpenAIChatModel(endpoint, limits=limits) as model:
        yield model


@asynccontextmanager
async def _journal(settings: Settings, database: Database) -> AsyncIterator[Callable[[], None]]:
    """Keep the audit's file beside the database; give what tells it that the audit has grown."""
    if settings.audit_file is None:
        yield lambda: None
        return
    journal = Journal(store=SqlJournalStore(database), file=JournalFile(settings.audit_file))
    async with journal.kept():
        yield journal.wake


@asynccontextmanager
async def _notes(settings: Settings, database: Database, clock: Clock) -> AsyncIterator[Vaults]:
    """Give the notes folders of the settings, followed as they change; missing ones are left out."""
    roots = await asyncio.to_thread(
        lambda: [(name, folder.resolve()) for name, folder in settings.vaults if folder.is_dir()]
    )
    indexes = {name: SqliteNoteIndex(settings.data_dir / "notes" / f"{name}.index") for name, _ in roots}
    kept = settings.data_dir / "note-backups"
    found = {
        name: Vault(Folder(name, root), indexes[name], Backups(kept / name, settings.note_backups))
        for name, root in roots
    }
    vaults = Vaults(store=SqlVaultStore(database), clock=clock, vaults=found)
    try:
        async with vaults.watched():
            yield vaults
    finally:
        for index in indexes.values():
            await asyncio.to_thread(index.close)


def _read_package_texts() -> None:
    load_prompts()
    for language in LANGUAGES:
        load(language)


def _core(
    settings: Settings,
    database: Database,
    canon: CanonStores,
    model: ChatModel,
    tools: Registry,
    clock: Clock,
    ids: NewId,
    audited: Callable[[], None],
    telemetry: Telemetry,
    vaults: Vaults,
    services: Services,
    host: str,
) -> Core:
    lore, turns = canon.lore, SqlTurnStore(database)
    batches = SqlPipelineStore(database, audited)
    people, conversations = SqlPeopleStore(database), SqlConversationStore(database)
    operators = SqlOperatorStore(database)
    spending = _spending(settings, database, clock)
    askers = Askers(
        people=people,
        conversations=conversations,
        linking=Linking(people=people, codes=Codes(store=SqlCodeStore(database), clock=clock, new_id=ids)),
        operators=operators,
        spending=spending,
        uploads=Uploads(settings.data_dir / "uploads"),
        vaults=vaults,
        files=Files(store=SqlFileStore(database), clock=clock, new_id=ids),
        services=services,
        series=canon.series,
        lore=lore,
        index=canon.index,
        turns=turns,
        clock=clock,
        new_id=ids,
    )
    redaction = Redaction(settings.secret_values())
    audit = Audit(clock, ids, redaction)
    limits = RateLimit(batches, clock, per_minute=settings.rate_limit_per_minute)
    runtime = Runtime(
        model=ObservedModel(model, telemetry, redaction),
        pipeline=ObservedPipeline(
            tools=tools,
            store=batches,
            limits=limits,
            cards=OpenCards(store=batches, clock=clock),
            redaction=redaction,
            audit=audit,
            clock=clock,
            telemetry=telemetry,
        ),
        tools=tools,
        turns=turns,
        batches=batches,
        open_context=askers.context,
        spending=spending,
        notices=Notices(
            operators=operators, conversations=conversations, turns=turns, clock=clock, new_id=ids
        ),
        clock=clock,
        new_id=ids,
        budget=Budget(
            replies=settings.max_replies,
            calls=settings.max_tool_calls,
            result_chars=settings.max_result_chars,
            results_chars=settings.max_results_chars,
        ),
        lifetime=Lifetime(
            private=timedelta(hours=settings.confirmation_private_h),
            group=timedelta(hours=settings.confirmation_group_h),
        ),
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        telemetry=telemetry,
    )
    execution = Execution(tools=tools, store=batches, lore=lore, audit=audit, clock=clock)
    holder = f"{host or socket.gethostname()}:{os.getpid()}:{ids()}"
    return Core(
        askers=askers,
        runtime=runtime,
        decisions=Decisions(runtime=runtime, askers=askers, execution=execution),
        order=TurnOrder(turns, clock, holder=holder),
        chat=SqlChatStore(database),
    )


def _schedule(settings: Settings, database: Database, clock: Clock, ids: NewId) -> Schedule:
    limits = Limits(
        tasks=settings.schedule_tasks_per_person,
        apart=timedelta(minutes=settings.schedule_least_minutes),
        catch_up=settings.schedule_catch_up,
    )
    return Schedule(store=SqlScheduleStore(database), clock=clock, new_id=ids, limits=limits)


def _pairing(core: Core) -> Pairing:
    askers = core.askers
    codes = askers.linking.codes
    return Pairing(people=askers.people, operators=askers.operators, codes=codes, new_id=askers.new_id)


def _spending(settings: Settings, database: Database, clock: Clock) -> Spending:
    day = Limit(
        calls=settings.person_calls_per_day,
        tokens=settings.person_tokens_per_day,
        cost=settings.person_money_per_day,
    )
    month = Limit(
        calls=settings.person_calls_per_month,
        tokens=settings.person_tokens_per_month,
        cost=settings.person_money_per_month,
    )
    return Spending(
        store=SqlUsageStore(database),
        clock=clock,
        zone=settings.time_zone,
        prices=Prices(prompt=settings.price_prompt_per_mtok, completion=settings.price_completion_per_mtok),
        budgets=Budgets(
            day=day,
            month=month,
            all_month=Limit(tokens=settings.tokens_per_month, cost=settings.money_per_month),
        ),
    )
