"""The settings, one group a module; `bot.settings` puts them together."""
