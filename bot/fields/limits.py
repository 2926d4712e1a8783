"""What one turn, one person and all together may use."""

from typing import Self

from pydantic import AliasChoices, BaseModel, Field, model_validator

from bot.setting_kinds import Allowance, Chars, Count, Hours, Price, variable


class Limits(BaseModel):
    """What one turn, one person and all together may use."""

    max_replies: Count = Field(default=10, description="Replies of the model in one turn.")
    max_tool_calls: int = Field(
        default=25,
        ge=0,
        validation_alias=AliasChoices("LOREKEEPER_MAX_TOOL_CALLS", "BOOKSLM_MAX_TOOL_CALLS"),
        description="Tool calls in one turn; the name BOOKSLM_MAX_TOOL_CALLS is accepted too.",
    )
    max_result_chars: Chars = Field(
        default=100_000, description="Longest result of one tool call, in characters."
    )
    max_results_chars: Chars = Field(
        default=400_000, description="All tool results of one turn together, in characters."
    )
    rate_limit_per_minute: int = Field(
        default=120,
        ge=0,
        description="Calls of one tool that one person may make in a minute; 0 allows none.",
    )
    person_calls_per_day: Allowance | None = Field(
        default=None, description="Replies of the model that one person may use in a day; 0 allows none."
    )
    person_tokens_per_day: Allowance | None = Field(
        default=None, description="Tokens that one person may use in a day; 0 allows none."
    )
    person_money_per_day: Price | None = Field(
        default=None, description="What one person may cost in a day; 0 allows nothing."
    )
    person_calls_per_month: Allowance | None = Field(
        default=None, description="Replies of the model that one person may use in a month; 0 allows none."
    )
    person_tokens_per_month: Allowance | None = Field(
        default=None, description="Tokens that one person may use in a month; 0 allows none."
    )
    person_money_per_month: Price | None = Field(
        default=None, description="What one person may cost in a month; 0 allows nothing."
    )
    tokens_per_month: Allowance | None = Field(
        default=None,
        description="Tokens of all in a month; then the model rests, and commands go on working.",
    )
    money_per_month: Price | None = Field(
        default=None,
        description="What all may cost in a month; then the model rests, and commands go on working.",
    )
    confirmation_private_h: Hours = Field(
        default=24, description="Hours that a proposal stays open in a private chat."
    )
    confirmation_group_h: Hours = Field(
        default=168, description="Hours that a proposal stays open in a group."
    )

    @model_validator(mode="after")
    def _money_has_prices(self) -> Self:
        budgets = ("person_money_per_day", "person_money_per_month", "money_per_month")
        given = next((name for name in budgets if getattr(self, name) is not None), None)
        prices = ("price_prompt_per_mtok", "price_completion_per_mtok")
        lacking = next((name for name in prices if getattr(self, name) is None), None)
        if given and lacking:
            raise ValueError(
                f"{variable(lacking)} is missing: {variable(given)} is set, and money is counted by prices."
            )
        return self
