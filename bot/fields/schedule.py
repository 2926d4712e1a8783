"""Tasks at set times."""

from pydantic import BaseModel, Field

from bot.setting_kinds import Count


class Schedule(BaseModel):
    """Tasks at set times."""

    schedule_tasks_per_person: int = Field(
        default=20, ge=0, description="Tasks at set times that one person may have; 0 allows none."
    )
    schedule_least_minutes: Count = Field(
        default=5, description="Least time between two runs of a task, in minutes."
    )
    schedule_catch_up: bool = Field(
        default=True,
        description="Whether a task that missed times while nothing ran is made up for, once.",
    )
