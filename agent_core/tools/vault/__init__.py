"""The tools of the notes folder: thin, the work is in `agent_core.vault`."""
