"""The SQL stores."""
