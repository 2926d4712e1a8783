"""What Discord lets a bot put below a message or into a modal: rows, buttons, selects, text inputs."""

from typing import Final

from tests.emulators.discord.model import Json
from tests.emulators.discord.refusal import Form

ROW, BUTTON, STRING_SELECT, TEXT_INPUT, TEXT, LABEL = 1, 2, 3, 4, 10, 18
SELECTS: Final = frozenset({3, 5, 6, 7, 8})
_LAYOUT: Final = frozenset({1, 9, 10, 12, 13, 14, 17})
_IN_LABEL: Final = frozenset({3, 4, 5, 6, 7, 8, 19, 21, 22, 23})
_LINK, _PREMIUM = 5, 6


def check_components(form: Form, components: object, path: str, *, layout: bool) -> None:
    """Check a message's components; `layout` is what the IS_COMPONENTS_V2 flag allows."""
    most = 40 if layout else 5
    if not form.count(path, components, 0, most):
        return
    assert isinstance(components, list)
    _check_ids(form, components, path)
    for number, component in enumerate(components):
        place = f"{path}.{number}"
        if layout:
            form.choice(f"{place}.type", component.get("type"), _LAYOUT)
            _check_layout(form, component, place)
        else:
            form.choice(f"{place}.type", component.get("type"), frozenset({ROW}))
            _check_row(form, component, place)
    if layout and sum(1 for _ in walk(components)) > 40:
        form.wrong(path, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The total exceeds 40")


def check_modal(form: Form, data: Json) -> None:
    """Check what opens a modal."""
    form.length("data.custom_id", data.get("custom_id"), 1, 100)
    form.length("data.title", data.get("title"), 1, 45)
    rows = data.get("components")
    if not form.count("data.components", rows, 1, 5):
        return
    assert isinstance(rows, list)
    _check_ids(form, rows, "data.components")
    for number, row in enumerate(rows):
        place = f"data.components.{number}"
        form.choice(f"{place}.type", row.get("type"), frozenset({ROW, TEXT, LABEL}))
        if row.get("type") == LABEL:
            form.length(f"{place}.label", row.get("label"), 1, 45)
            form.at_most(f"{place}.description", row.get("description"), 100)
            _check_input(form, row.get("component") or {}, f"{place}.component", labelled=True)
        for inner, child in enumerate(row.get("components") or []):
            _check_input(form, child, f"{place}.components.{inner}", labelled=False)


def walk(components: list[Json]) -> list[Json]:
    """Return every component of the tree, outer ones first."""
    found: list[Json] = []
    for component in components:
        found.append(component)
        found += walk(component.get("components") or [])
        for key in ("accessory", "component"):
            if component.get(key):
                found += walk([component[key]])
    return found


def _check_ids(form: Form, components: list[Json], path: str) -> None:
    seen: set[str] = set()
    for component in walk(components):
        custom_id = component.get("custom_id")
        if custom_id is None:
            continue
        form.length(f"{path}.custom_id", custom_id, 1, 100)
        if custom_id in seen:
            form.wrong(path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
        seen.add(custom_id)


def _check_layout(form: Form, component: Json, path: str) -> None:
    if component.get("type") == ROW:
        _check_row(form, component, path)
    elif component.get("type") == TEXT:
        form.length(f"{path}.content", component.get("content"), 1, 4000)
    for number, child in enumerate(component.get("components") or []):
        if component.get("type") != ROW:
            _check_layout(form, child, f"{path}.components.{number}")


def _check_row(form: Form, row: Json, path: str) -> None:
    children = row.get("components")
    if not form.count(f"{path}.components", children, 1, 5):
        return
    assert isinstance(children, list)
    kinds = [child.get("type") for child in children]
    if any(kind in SELECTS for kind in kinds) and len(kinds) > 1:
        form.wrong(f"{path}.components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The row is wider than 5")
    for number, child in enumerate(children):
        place = f"{path}.components.{number}"
        form.choice(f"{place}.type", child.get("type"), SELECTS | {BUTTON})
        if child.get("type") == BUTTON:
            _check_button(form, child, place)
        elif child.get("type") in SELECTS:
            _check_select(form, child, place)


def _check_button(form: Form, button: Json, path: str) -> None:
    style = button.get("style")
    form.choice(f"{path}.style", style, frozenset(range(1, 7)))
    form.at_most(f"{path}.label", button.get("label"), 80)
    if style == _LINK:
        if not button.get("url") or button.get("custom_id"):
            form.wrong(f"{path}.url", "BASE_TYPE_REQUIRED", "A link button has a url and no custom id")
    elif style != _PREMIUM and not button.get("custom_id"):
        form.wrong(f"{path}.custom_id", "BASE_TYPE_REQUIRED", "This field is required")
    if style != _PREMIUM and not button.get("label") and not button.get("emoji"):
        form.wrong(path, "BUTTON_COMPONENT_INVALID_LABEL", "A label or an emoji is required")


def _check_select(form: Form, select: Json, path: str) -> None:
    if not select.get("custom_id"):
        form.wrong(f"{path}.custom_id", "BASE_TYPE_REQUIRED", "This field is required")
    form.at_most(f"{path}.placeholder", select.get("placeholder"), 150)
    low, high = select.get("min_values", 1), select.get("max_values", 1)
    if not 0 <= low <= 25 or not 1 <= high <= 25 or low > high:
        form.wrong(f"{path}.min_values", "NUMBER_TYPE_MAX", "min_values and max_values do not fit")
    if select.get("type") != STRING_SELECT:
        return
    options = select.get("options")
    if not form.count(f"{path}.options", options, 1, 25):
        return
    assert isinstance(options, list)
    if high > len(options):
        form.wrong(f"{path}.max_values", "NUMBER_TYPE_MAX", "max_values exceeds the number of options")
    for number, option in enumerate(options):
        place = f"{path}.options.{number}"
        form.length(f"{place}.label", option.get("label"), 1, 100)
        form.length(f"{place}.value", option.get("value"), 1, 100)
        form.at_most(f"{place}.description", option.get("description"), 100)
    values = [option.get("value") for option in options]
    if len(set(values)) < len(values):
        text = "The specified option value is already used"
        form.wrong(f"{path}.options", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", text)


def _check_input(form: Form, component: Json, path: str, *, labelled: bool) -> None:
    kind = component.get("type")
    form.choice(f"{path}.type", kind, _IN_LABEL if labelled else frozenset({TEXT_INPUT}))
    if not component.get("custom_id"):
        form.wrong(f"{path}.custom_id", "BASE_TYPE_REQUIRED", "This field is required")
    if kind in SELECTS:
        _check_select(form, component, path)
    if kind != TEXT_INPUT:
        return
    if not labelled:
        form.length(f"{path}.label", component.get("label"), 1, 45)
    form.choice(f"{path}.style", component.get("style"), frozenset({1, 2}))
    form.at_most(f"{path}.placeholder", component.get("placeholder"), 100)
    form.at_most(f"{path}.value", component.get("value"), 4000)
