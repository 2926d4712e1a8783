"""The command line: one command a module, nothing imported before it is needed."""

import typer

from bot.cli.archives import export
from bot.cli.audit import audit
from bot.cli.backup import backup, restore
from bot.cli.chat import chat
from bot.cli.directus import directus
from bot.cli.doctor import doctor
from bot.cli.init import init
from bot.cli.manuscripts import import_
from bot.cli.migrate import migrate
from bot.cli.notify import notify
from bot.cli.pair import pair
from bot.cli.run import run
from bot.cli.streams import open_closed_streams
from bot.cli.token import token
from bot.cli.tools import tools

app = typer.Typer(
    name="lorekeeper",
    help="LoreKeeper keeps the canon of a book series.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(init)
app.command()(run)
app.command()(chat)
app.command("import")(import_)
app.command()(export)
app.command()(backup)
app.command()(restore)
app.command()(migrate)
app.command()(pair)
app.add_typer(token, name="token")
app.add_typer(directus, name="directus")
app.command()(notify)
app.command()(doctor)
app.command()(tools)
app.command()(audit)


def main() -> None:
    """Run the command line."""
    open_closed_streams()
    app(prog_name="lorekeeper")


if __name__ == "__main__":
    main()
