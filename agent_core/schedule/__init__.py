"""Tasks at set times: the rule of time, the words for it, and what is stored."""
