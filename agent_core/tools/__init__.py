"""What a model or a command can do, one record a tool."""
