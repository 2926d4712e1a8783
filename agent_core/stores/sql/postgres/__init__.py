"""Postgres behind `Database`: the same statements and migrations, one database for many processes."""
