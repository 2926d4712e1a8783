"""The tools that move, delete or rewrite what people made; a lead confirms them."""

from pydantic import Field

from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext
from agent_core.tools.vault.folder import Written, propose
from agent_core.vault import destroying

RELINK_S = 120.0  # a rename reads every note that links to what is renamed


class MoveArgs(Written):
    """Arguments of move_path."""

    to: str = Field(description="the new path, or a folder that takes it in")


class RenameArgs(Written):
    """Arguments of rename_file and rename_directory."""

    name: str = Field(description="the new name, without a path")


class ReplaceArgs(Written):
    """Arguments of replace_in_files."""

    path: str = Field("**", alias="glob", description="pattern for the notes, such as Scenes/**")
    pattern: str = Field(description="the text that is replaced, or an expression")
    replacement: str = Field(description="what takes its place")
    regex: bool = Field(False, description="pattern is a regular expression; \\1 in replacement is a group")
    case_sensitive: bool = Field(True, description="capital and small letters differ")


async def _delete_file(context: ToolContext, args: Written) -> Proposal:
    return await propose(context, args, "note_delete", lambda vault: destroying.delete_file(vault, args.path))


async def _delete_folder(context: ToolContext, args: Written) -> Proposal:
    return await propose(
        context, args, "note_folder_delete", lambda vault: destroying.delete_directory(vault, args.path)
    )


async def _move(context: ToolContext, args: MoveArgs) -> Proposal:
    return await propose(
        context, args, "note_move", lambda vault: destroying.move_path(vault, args.path, args.to)
    )


async def _rename_file(context: ToolContext, args: RenameArgs) -> Proposal:
    return await propose(
        context, args, "note_move", lambda vault: destroying.rename_file(vault, args.path, args.name)
    )


async def _rename_folder(context: ToolContext, args: RenameArgs) -> Proposal:
    return await propose(
        context, args, "note_move", lambda vault: destroying.rename_directory(vault, args.path, args.name)
    )


async def _replace(context: ToolContext, args: ReplaceArgs) -> Proposal:
    return await propose(
        context,
        args,
        "note_replace",
        lambda vault: destroying.replace_in_files(
            vault,
            args.pattern,
            args.replacement,
            args.path,
            is_regex=args.regex,
            case_sensitive=args.case_sensitive,
        ),
    )


DELETE_FILE = Tool(
    name="delete_file",
    family=Family.VAULT_WRITE,
    risk=Risk.DANGEROUS,
    args=Written,
    propose=_delete_file,
    description="Put a file of the notes into their .trash, from where it can be moved back.",
    timeout_s=RELINK_S,
)
DELETE_DIRECTORY = Tool(
    name="delete_directory",
    family=Family.VAULT_WRITE,
    risk=Risk.DANGEROUS,
    args=Written,
    propose=_delete_folder,
    description="Put a folder of the notes with all that it holds into their .trash.",
    timeout_s=RELINK_S,
)
MOVE_PATH = Tool(
    name="move_path",
    family=Family.VAULT_WRITE,
    risk=Risk.DANGEROUS,
    args=MoveArgs,
    propose=_move,
    description="Move a file or folder of the notes, also out of .trash; links in other notes follow.",
    timeout_s=RELINK_S,
)
RENAME_FILE = Tool(
    name="rename_file",
    family=Family.VAULT_WRITE,
    risk=Risk.DANGEROUS,
    args=RenameArgs,
    propose=_rename_file,
    description="Rename a file of the notes where it is; links in other notes follow.",
    timeout_s=RELINK_S,
)
RENAME_DIRECTORY = Tool(
    name="rename_directory",
    family=Family.VAULT_WRITE,
    risk=Risk.DANGEROUS,
    args=RenameArgs,
    propose=_rename_folder,
    description="Rename a folder of the notes where it is; links in other notes follow.",
    timeout_s=RELINK_S,
)
REPLACE_IN_FILES = Tool(
    name="replace_in_files",
    family=Family.VAULT_WRITE,
    risk=Risk.DANGEROUS,
    args=ReplaceArgs,
    propose=_replace,
    description="Replace a text or an expression in all notes that a pattern fits; the card counts them.",
    timeout_s=RELINK_S,
)

DESTROYS = (DELETE_FILE, DELETE_DIRECTORY, MOVE_PATH, RENAME_FILE, RENAME_DIRECTORY, REPLACE_IN_FILES)
