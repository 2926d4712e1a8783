"""What is kept on a git host: repositories, files and issues, only to be read."""
