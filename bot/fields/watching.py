"""What operators can see of the work."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from bot.setting_kinds import Default, absolute, lowered, off, web_address


class Watching(BaseModel):
    """What operators can see of the work."""

    trace: Annotated[Literal["off", "short", "full"], BeforeValidator(lowered)] = Field(
        default="short", description="How much is shown of the steps behind an answer: off, short or full."
    )
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(lowered)] = Field(
        default="warning", description="Least severe log line that is written: debug, info, warning or error."
    )
    log_format: Annotated[Literal["text", "json"], BeforeValidator(lowered)] = Field(
        default="text", description="Form of log lines: text, or json with one object a line."
    )
    audit_file: Annotated[
        Annotated[Path, AfterValidator(absolute)] | None,
        BeforeValidator(off),
        Default("audit.jsonl in the data folder"),
    ] = Field(
        default_factory=lambda data: data["data_dir"] / "audit.jsonl",
        description="File that holds every tool call as a line of JSON; off writes none.",
    )
    telemetry_endpoint: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None,
        description="Address that takes OpenTelemetry spans (OTLP over HTTP); needs the extra telemetry.",
    )
    telemetry_content: bool = Field(
        default=False, description="Whether spans hold what was said and found, without secrets."
    )
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of this machine on which Prometheus finds counters; needs the extra telemetry.",
    )
