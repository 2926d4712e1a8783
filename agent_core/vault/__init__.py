"""Notes folders: Markdown files with Obsidian's conventions, as a second memory beside the canon."""
