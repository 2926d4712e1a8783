"""Every tool there is, in the order models see them."""

from agent_core.tools.access import ACCESS
from agent_core.tools.bible import IMPORT_BIBLE
from agent_core.tools.book_export import EXPORT_BOOK
from agent_core.tools.canon_export import EXPORT_CANON
from agent_core.tools.cost import GET_COST
from agent_core.tools.documents import DOCUMENTS
from agent_core.tools.duplicates import DUPLICATES
from agent_core.tools.forge import FORGES
from agent_core.tools.identity import IDENTITIES
from agent_core.tools.lore_read import LOOK_UPS
from agent_core.tools.lore_write import WRITES
from agent_core.tools.manuscript import IMPORT_MANUSCRIPT
from agent_core.tools.members import MEMBERSHIPS
from agent_core.tools.notes import ATTACH_NOTES
from agent_core.tools.notify import NOTIFY_EXTERNAL
from agent_core.tools.place import PLACES
from agent_core.tools.schedule import SCHEDULES
from agent_core.tools.sheets import SHEETS
from agent_core.tools.standing import GET_STANDING
from agent_core.tools.vault.compare import COMPARE_NOTES
from agent_core.tools.vault.destroy import DESTROYS
from agent_core.tools.vault.read import READS
from agent_core.tools.vault.write import WRITES as NOTE_WRITES
from agent_core.tools.web import WEB

TOOLS = (
    *LOOK_UPS,
    *WRITES,
    *PLACES,
    GET_STANDING,
    *MEMBERSHIPS,
    *IDENTITIES,
    *ACCESS,
    GET_COST,
    IMPORT_MANUSCRIPT,
    IMPORT_BIBLE,
    EXPORT_CANON,
    ATTACH_NOTES,
    *READS,
    COMPARE_NOTES,
    *NOTE_WRITES,
    *DESTROYS,
    *DUPLICATES,
    *WEB,
    *SHEETS,
    *DOCUMENTS,
    EXPORT_BOOK,
    *FORGES,
    *SCHEDULES,
    NOTIFY_EXTERNAL,
)
