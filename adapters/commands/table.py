"""The command set, once for all platforms."""

from adapters.commands.model import Command, Kind, Option

_ENTRY = Option(name="entity", kind=Kind.ENTRY, argument="entityId", required=True)
_ANY_ENTRY = Option(name="entity", kind=Kind.ENTRY, argument="entityId")
_AS_OF = Option(name="at", kind=Kind.POSITION, argument="asOf")
_WHEN = Option(name="when", kind=Kind.WHEN, argument="when")
_KNOWN = Option(name="known", kind=Kind.MOMENT, argument="knownAt")
_AS_READER = Option(name="as_reader", kind=Kind.POSITION, argument="asReader")
_FACTS = Option(name="facts", kind=Kind.FACTS, argument="statePatch", required=True)
_TOLD = Option(name="told", kind=Kind.TOLD, argument="toldAt")
_BOOK = Option(name="book", kind=Kind.BOOK, argument="book")
_POSITION = Option(name="position", kind=Kind.POSITION, argument="position", required=True)


def _position(name: str, argument: str, *, place: bool = False, required: bool = False) -> Option:
    return Option(name=name, kind=Kind.POSITION, argument=argument, place=place, required=required)


def _text(name: str, argument: str, *, required: bool = True) -> Option:
    return Option(name=name, kind=Kind.TEXT, argument=argument, required=required)


COMMANDS = (
    Command(name="lore", tool="get_entity_state", options=(_ENTRY, _AS_OF, _WHEN, _KNOWN, _AS_READER)),
    Command(
        name="search",
        tool="search_lore",
        options=(_text("text", "query"), Option(name="type", kind=Kind.TYPE, argument="type")),
    ),
    Command(
        name="entries",
        tool="list_entries",
        options=(
            Option(name="type", kind=Kind.TYPE, argument="type"),
            Option(name="offset", kind=Kind.NUMBER, argument="offset"),
        ),
    ),
    Command(name="state", tool="get_entity_state", options=(_ENTRY, _AS_OF, _WHEN, _KNOWN, _AS_READER)),
    Command(
        name="timeline",
        tool="get_timeline",
        options=(
            _ANY_ENTRY,
            _position("from", "from"),
            _position("to", "to"),
            Option(name="order", kind=Kind.ORDER, argument="order"),
        ),
    ),
    Command(
        name="history",
        tool="get_history",
        options=(
            _ANY_ENTRY,
            Option(name="detail", kind=Kind.DETAIL, argument="key"),
            Option(name="since", kind=Kind.MOMENT, argument="since"),
            Option(name="by", kind=Kind.PERSON, argument="by"),
        ),
    ),
    Command(
        name="why",
        tool="why",
        options=(_ENTRY, Option(name="detail", kind=Kind.DETAIL, argument="key", required=True), _AS_OF),
    ),
    Command(
        name="scene read",
        tool="fetch_chapter_scenes",
        options=(
            _position("position", "chapterId", required=True),
            Option(name="offset", kind=Kind.NUMBER, argument="offset"),
        ),
    ),
    Command(name="scene list", tool="list_chapters", options=(_BOOK,)),
    Command(
        name="scene when",
        tool="place_scene",
        options=(
            _position("scene", "sceneId", required=True),
            Option(name="relation", kind=Kind.RELATION, argument="relation", required=True),
            _position("node", "node", required=True),
        ),
        writes=True,
    ),
    Command(
        name="scene move",
        tool="place_scene",
        options=(
            _position("scene", "sceneId", required=True),
            _position("after", "moveAfter", required=True),
        ),
        writes=True,
    ),
    Command(
        name="record",
        tool="record_lore_state",
        options=(
            _ENTRY,
            _FACTS,
            _position("from", "chapterId", place=True),
            _position("until", "until"),
            _TOLD,
        ),
        writes=True,
    ),
    Command(
        name="retcon",
        tool="record_lore_state",
        options=(_ENTRY, _FACTS, _position("from", "chapterId", place=True), _position("to", "until")),
        fixed={"retcon": True},
        writes=True,
    ),
    Command(
        name="undo",
        tool="undo",
        options=(Option(name="edit", kind=Kind.NUMBER, argument="change"),),
        writes=True,
    ),
    Command(name="loose", tool="list_loose_ends"),
    Command(name="book contents", tool="list_chapters", options=(_BOOK,)),
    Command(
        name="book link",
        tool="link_thread",
        options=(
            _text("series", "series"),
            _text("book", "book", required=False),
            _position("chapter", "chapter"),
            _text("audience", "audience", required=False),
            Option(name="default_role", kind=Kind.ROLE, argument="defaultRole"),
        ),
        writes=True,
    ),
    Command(
        name="book notes",
        tool="attach_notes",
        options=(_text("name", "name"), _text("access", "access", required=False)),
        writes=True,
    ),
    Command(name="notes list", tool="list_all_files", options=(_text("pattern", "glob", required=False),)),
    Command(name="notes search", tool="search_fulltext", options=(_text("text", "query"),)),
    Command(
        name="notes graph",
        tool="get_graph",
        options=(_text("centre", "centre", required=False),),
        fixed={"picture": True, "depth": 2},
    ),
    Command(name="notes differences", tool="compare_notes", options=(_AS_OF,)),
    Command(
        name="notes import",
        tool="import_bible",
        options=(_text("vault", "vault", required=False),),
        fixed={"source": "notes"},
        writes=True,
    ),
    *(
        Command(
            name=f"export {form}", tool="export_book", options=(_BOOK,), fixed={"format": form}, writes=True
        )
        for form in ("docx", "epub", "markdown")
    ),
    *(
        Command(
            name=f"export {form}",
            tool="export_canon",
            options=(_AS_OF, _KNOWN, _AS_READER),
            fixed={"format": form},
        )
        for form in ("notes", "lorebook", "novelai")
    ),
    Command(name="here", tool="set_position", options=(_POSITION,), writes=True, alone="where"),
    Command(
        name="progress",
        tool="set_progress",
        options=(_position("position", "finished", required=True),),
        writes=True,
        alone="where",
    ),
    Command(name="where", tool="get_standing"),
    Command(
        name="entry new",
        tool="create_lore_entity",
        options=(
            Option(name="type", kind=Kind.TYPE, argument="type", required=True),
            Option(name="called", kind=Kind.NAME, argument="name", required=True),
            Option(name="traits", kind=Kind.FACTS, argument="staticTraits"),
            _TOLD,
        ),
        fixed={"staticTraits": {}},
        writes=True,
    ),
    Command(
        name="entry rename", tool="update_entry", options=(_ENTRY, _text("called", "rename")), writes=True
    ),
    Command(
        name="entry alias",
        tool="update_entry",
        options=(_ENTRY, _text("called", "addAlias"), _position("from", "aliasFrom")),
        writes=True,
    ),
    Command(
        name="entry merge",
        tool="merge_entries",
        options=(
            Option(name="entity", kind=Kind.ENTRIES, argument="merge", required=True),
            Option(name="called", kind=Kind.ENTRY, argument="keep", required=True),
        ),
        writes=True,
    ),
    Command(name="entry retire", tool="update_entry", options=(_ENTRY,), fixed={"retire": True}, writes=True),
    Command(
        name="members set",
        tool="members",
        options=(
            Option(name="person", kind=Kind.PERSON, argument="person", required=True),
            Option(name="role", kind=Kind.ROLE, argument="role", required=True),
        ),
        writes=True,
    ),
    Command(name="members", tool="list_members"),
    Command(name="identity code", tool="identity_code"),
    Command(name="identity link", tool="identity_link", options=(_text("code", "code"),), writes=True),
    Command(name="cost", tool="get_cost"),
    Command(
        name="access open",
        tool="set_access",
        options=(_text("what", "what"),),
        fixed={"state": "open"},
        writes=True,
    ),
    Command(
        name="access close",
        tool="set_access",
        options=(_text("what", "what"),),
        fixed={"state": "closed"},
        writes=True,
    ),
    Command(name="access", tool="list_access"),
    Command(name="schedule", tool="list_scheduled_tasks"),
    Command(
        name="schedule add",
        tool="create_scheduled_task",
        options=(_text("time", "when"), _text("prompt", "prompt")),
        writes=True,
    ),
    Command(
        name="schedule pause",
        tool="pause_scheduled_task",
        options=(_text("task", "task"),),
        fixed={"paused": True},
        writes=True,
    ),
    Command(
        name="schedule resume",
        tool="pause_scheduled_task",
        options=(_text("task", "task"),),
        fixed={"paused": False},
        writes=True,
    ),
    Command(name="schedule run", tool="run_scheduled_task", options=(_text("task", "task"),), writes=True),
    Command(
        name="schedule delete", tool="delete_scheduled_task", options=(_text("task", "task"),), writes=True
    ),
    Command(
        name="notify",
        tool="notify_external",
        options=(_text("channel", "channel"), _text("message", "text")),
        writes=True,
    ),
    Command(name="ask", options=(_text("question", "question"),)),
    Command(name="research", options=(_text("question", "question"),)),
    Command(name="new"),
    Command(name="cancel"),
    Command(
        name="settings",
        options=(_text("name", "name", required=False), _text("value", "value", required=False)),
    ),
    Command(name="help", options=(_text("command", "command", required=False),)),
)

BY_NAME = {command.name: command for command in COMMANDS}
