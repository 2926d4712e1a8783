"""Story bibles from files: entries and scenes out of notes, sheets, codexes and lorebooks."""
