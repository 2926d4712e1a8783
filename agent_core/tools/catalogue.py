"""Every tool there is, in the order models see them."""

from agent_core.tools.lore_read import LOOK_UPS
from agent_core.tools.lore_write import WRITES
from agent_core.tools.manuscript import IMPORT_MANUSCRIPT
from agent_core.tools.place import PLACES

TOOLS = (*LOOK_UPS, *WRITES, *PLACES, IMPORT_MANUSCRIPT)
