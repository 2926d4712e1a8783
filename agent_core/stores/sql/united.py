"""Makes two persons one in every table that names them."""

from agent_core.stores.sql.database import Tx

# What changes hands. The audit keeps whom it named: their id stands for who they are now.
_STEPS = (
    "UPDATE identity SET person = :kept WHERE person = :gone",
    "UPDATE inbox SET person = :kept WHERE person = :gone",
    "UPDATE turn SET requester = :kept WHERE requester = :gone",
    "UPDATE batch SET requester = :kept WHERE requester = :gone",
    "UPDATE batch SET decided_by = :kept WHERE decided_by = :gone",
    "UPDATE attachment SET person = :kept WHERE person = :gone",
    "UPDATE schedule SET creator = :kept WHERE creator = :gone",
    "DELETE FROM membership WHERE person IN (:gone, :kept)",
    "DELETE FROM progress WHERE person IN (:gone, :kept)",
    "DELETE FROM link_code WHERE person IN (:gone, :kept)",
    "INSERT INTO operator_place (person, platform, conversation)"
    " SELECT :kept, platform, conversation FROM operator_place WHERE person = :gone"
    " ON CONFLICT (person, platform) DO NOTHING",
    "DELETE FROM operator_place WHERE person = :gone",
    "UPDATE person SET operator = (SELECT max(operator) FROM person WHERE id IN (:gone, :kept))"
    " WHERE id = :kept",
    "UPDATE person SET united_with = :kept, operator = 0 WHERE :gone IN (id, united_with)",
)


def unite(tx: Tx, gone: str, kept: str) -> None:
    """Give everything of `gone` to `kept`; neither has rights in a series then: the caller sets them."""
    for step in _STEPS:
        tx.run(step, {"gone": gone, "kept": kept})
