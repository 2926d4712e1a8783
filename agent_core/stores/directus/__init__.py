"""The canon in Directus: its collections are the log, the database's own tables a copy that answers reads."""
