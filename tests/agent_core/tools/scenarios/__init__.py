"""One happy and one refused scenario for each tool that was promised."""

from collections.abc import Mapping

from tests.agent_core.tools.scenarios.files import FILES
from tests.agent_core.tools.scenarios.lore import LORE
from tests.agent_core.tools.scenarios.notes import NOTE_READS, NOTE_WRITES
from tests.agent_core.tools.scenarios.outside import OUTSIDE
from tests.agent_core.tools.scenarios.row import Row

ROWS: Mapping[str, Row] = {row.tool: row for row in (*LORE, *NOTE_READS, *NOTE_WRITES, *FILES, *OUTSIDE)}
