"""What Discord's client sends for a modal that somebody filled in."""

from collections.abc import Mapping

from tests.emulators.discord.component_rules import LABEL, ROW, SELECTS, TEXT_INPUT
from tests.emulators.discord.model import Json

Filled = Mapping[str, str | list[str]]


def submitted_json(modal: Json, values: Filled) -> list[Json]:
    """Return the modal's components with what was filled in, by custom id or label."""
    left = dict(values)
    sent = [_component(component, left) for component in modal["components"]]
    assert not left, f"the modal {modal['title']!r} has no {sorted(left)}"
    return [component for component in sent if component]


def _component(component: Json, left: dict[str, str | list[str]], label: str = "") -> Json:
    kind = component["type"]
    if kind == ROW:
        return {"type": ROW, "components": [_component(inner, left) for inner in component["components"]]}
    if kind == LABEL:
        return {"type": LABEL, "component": _component(component["component"], left, component["label"])}
    if "custom_id" not in component:
        return {}
    custom_id = component["custom_id"]
    named = next((name for name in (custom_id, label, component.get("label")) if name in left), None)
    filled = left.pop(named) if named is not None else None
    sent: Json = {"type": kind, "custom_id": custom_id, "id": component.get("id", 1)}
    if kind == TEXT_INPUT:
        return sent | {"value": _text(component, filled)}
    if kind in SELECTS:
        return sent | {"values": [filled] if isinstance(filled, str) else filled or []}
    return sent | ({"values": filled} if isinstance(filled, list) else {"value": filled})


def _text(component: Json, filled: str | list[str] | None) -> str:
    text = filled if isinstance(filled, str) else component.get("value") or ""
    name = component["custom_id"]
    if component.get("required", True):
        assert text, f"the field {name!r} must be filled in"
    if text:
        assert len(text) >= component.get("min_length", 0), f"too little for {name!r}"
    assert len(text) <= component.get("max_length", 4000), f"too much for {name!r}"
    return text
