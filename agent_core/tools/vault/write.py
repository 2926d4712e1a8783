"""The tools that add to notes; each waits for a confirmation and keeps a backup first."""

import asyncio

from pydantic import Field

from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext
from agent_core.tools.vault.folder import Written, propose
from agent_core.vault import writing


class CreateArgs(Written):
    """Arguments of create_file."""

    text: str = Field("", description="the whole text in Markdown, frontmatter first if it has any")


class AppendArgs(Written):
    """Arguments of append_to_file."""

    text: str = Field(description="what is put at the end")
    heading: str = Field("", description="at the end of this section instead; A#B for B below A")


class EditArgs(Written):
    """Arguments of edit_file."""

    old: str = Field(description="the exact passage that is replaced, with its line breaks")
    new: str = Field(description="what takes its place, taken literally")
    expected_count: int = Field(1, ge=1, le=10_000, description="how often the passage stands there")


class RestoreArgs(Written):
    """Arguments of restore_backup."""

    backup: str = Field("", description="id from list_backups; empty for the newest")


class NewFolderArgs(Written):
    """Arguments of create_directory."""


async def _create(context: ToolContext, args: CreateArgs) -> Proposal:
    return await propose(
        context, args, "note_create", lambda vault: writing.create_file(vault, args.path, args.text)
    )


async def _create_folder(context: ToolContext, args: NewFolderArgs) -> Proposal:
    return await propose(
        context, args, "note_folder", lambda vault: writing.create_directory(vault, args.path)
    )


async def _append(context: ToolContext, args: AppendArgs) -> Proposal:
    return await propose(
        context,
        args,
        "note_append",
        lambda vault: writing.append_to_file(vault, args.path, args.text, args.heading),
    )


async def _edit(context: ToolContext, args: EditArgs) -> Proposal:
    return await propose(
        context,
        args,
        "note_edit",
        lambda vault: writing.edit_file(vault, args.path, args.old, args.new, args.expected_count),
    )


async def _restore(context: ToolContext, args: RestoreArgs) -> Proposal:
    """Propose one backup by its id: what is the newest changes with each write."""
    vault = context.notes.vault(args.vault)
    backup = args.backup or await asyncio.to_thread(writing.newest_backup, vault, args.path)
    return await propose(
        context,
        args.model_copy(update={"backup": backup}),
        "note_restore",
        lambda vault: writing.restore_backup(vault, args.path, backup),
    )


CREATE_FILE = Tool(
    name="create_file",
    family=Family.VAULT_WRITE,
    risk=Risk.WRITE,
    args=CreateArgs,
    propose=_create,
    description="Create a note; folders of its path are made with it.",
)
CREATE_DIRECTORY = Tool(
    name="create_directory",
    family=Family.VAULT_WRITE,
    risk=Risk.WRITE,
    args=NewFolderArgs,
    propose=_create_folder,
    description="Create a folder in the notes.",
)
APPEND_TO_FILE = Tool(
    name="append_to_file",
    family=Family.VAULT_WRITE,
    risk=Risk.WRITE,
    args=AppendArgs,
    propose=_append,
    description="Put text at the end of a note, or of one of its sections.",
)
EDIT_FILE = Tool(
    name="edit_file",
    family=Family.VAULT_WRITE,
    risk=Risk.WRITE,
    args=EditArgs,
    propose=_edit,
    description="Replace an exact passage of a note; refused unless it stands there as often as expected.",
)
RESTORE_BACKUP = Tool(
    name="restore_backup",
    family=Family.VAULT_WRITE,
    risk=Risk.WRITE,
    args=RestoreArgs,
    propose=_restore,
    description="Put an earlier content of a note back, also of one that was deleted.",
)

WRITES = (CREATE_FILE, CREATE_DIRECTORY, APPEND_TO_FILE, EDIT_FILE, RESTORE_BACKUP)
