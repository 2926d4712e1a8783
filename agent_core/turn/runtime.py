"""What a turn needs from the world, handed in once by the wiring."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from agent_core.clock import Clock, NewId
from agent_core.llm.base import ChatModel
from agent_core.people.spending import Spending
from agent_core.pipeline.call import Pipeline
from agent_core.pipeline.confirmations import Lifetime
from agent_core.pipeline.store import PipelineStore
from agent_core.pipeline.telemetry import Telemetry, unwatched
from agent_core.tools.registry import Registry
from agent_core.tools.spec import Asker, Origin, ToolContext
from agent_core.turn.budget import Budget
from agent_core.turn.notices import Notices
from agent_core.turn.store import TurnStore

OpenContext = Callable[[Asker, Origin, int], Awaitable[ToolContext]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """The model, the pipeline, the stores and the limits of turns."""

    model: ChatModel
    pipeline: Pipeline
    tools: Registry
    turns: TurnStore
    batches: PipelineStore
    open_context: OpenContext
    spending: Spending
    notices: Notices
    clock: Clock
    new_id: NewId
    budget: Budget = field(default_factory=Budget)
    lifetime: Lifetime = field(default_factory=Lifetime)
    temperature: float = 0.3
    max_tokens: int = 8192
    telemetry: Telemetry = unwatched
