"""The cards about persons and the installation: a code, what was spent, who is let in."""

from decimal import Decimal

from adapters.cards.card import Card, Field, Line, View
from agent_core.texts import say
from agent_core.tools.access import AccessList
from agent_core.tools.cost import CostItem, Costs
from agent_core.tools.identity import LinkCode

_CENT = Decimal("0.01")


def code_card(code: LinkCode, view: View) -> Card:
    """Return the card of a code for another account, with what it does."""
    language = view.language
    return Card(
        title=say(language, "identity.title"),
        lines=(
            Line(text=say(language, "identity.how", command=f"/identity link {code.code}")),
            Line(text=say(language, "identity.minutes", n=code.minutes)),
            Line(text=say(language, "identity.warning")),
        ),
    )


def cost_card(costs: Costs, view: View) -> Card:
    """Return the card of what was spent; periods that are not told are left out."""
    language = view.language
    items = {
        "answer": costs.answer,
        "today": costs.today,
        "month": costs.month,
        "everyone": costs.everyone,
    }
    return Card(
        title=say(language, "cost.title"),
        lines=tuple(
            Line(label=say(language, f"cost.{name}"), text=_cost(item, language))
            for name, item in items.items()
            if item is not None
        ),
    )


def access_card(access: AccessList, view: View) -> Card:
    """Return the card of who is let in, a field a platform."""
    language = view.language
    platforms = dict.fromkeys(item.platform for item in access.items)
    return Card(
        title=say(language, "access.title"),
        lines=() if access.items else (Line(text=say(language, "access.empty")),),
        fields=tuple(
            Field(
                title=platform,
                lines=tuple(
                    Line(label=say(language, f"door.{item.door.value}"), text=item.key)
                    for item in access.items
                    if item.platform == platform
                ),
            )
            for platform in platforms
        ),
    )


def _cost(item: CostItem, language: str) -> str:
    used = (say(language, "cost.calls", n=item.calls), say(language, "cost.tokens", n=item.tokens))
    return " · ".join((*used, _money(item.cost, language)) if item.cost is not None else used)


def _money(amount: Decimal, language: str) -> str:
    """Return an amount with two digits, or as many as show that it is not nothing."""
    digits = _CENT if not amount or amount >= _CENT else Decimal(1).scaleb(amount.adjusted() - 1)
    text = f"{amount.quantize(digits):f}"
    return text if language == "en" else text.replace(".", ",")
