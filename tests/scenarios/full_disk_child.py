"""Says one thing in the terminal while the database can't grow by one page: WHO TEXT.

SQLite forgets a limit of pages with the connection, so it has to be set in the process that writes. Free
pages in the file would still be used, so they are given back first; TEXT has to need more than a page.
"""

import asyncio
import sqlite3
import sys
from contextlib import closing

from agent_core.stores.sql.database import Database, Durability
from bot.cli.chat import Wish, talk
from bot.cli.place import Seat
from bot.settings import load_settings
from bot.wiring import build


async def _said(who: str, text: str) -> int:
    settings = load_settings()
    with closing(sqlite3.connect(settings.database)) as connection:
        connection.execute("VACUUM")
    async with build(settings) as app:
        database: Database = app.transfer._database  # type: ignore[attr-defined]  # the writing connection
        await database.write(lambda tx: tx.run("PRAGMA max_page_count = 1"), Durability.NORMAL)
        seat = Seat(user=who)
        wish = Wish(texts=(text,), yes=True, no=False, pick="", seat=seat, finished="", as_json=False)
        return await talk(app, wish)


if __name__ == "__main__":
    sys.exit(asyncio.run(_said(*sys.argv[1:])))
