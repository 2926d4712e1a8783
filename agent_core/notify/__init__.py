"""Messages to the outside: to channels that the settings name, and to nowhere else."""
