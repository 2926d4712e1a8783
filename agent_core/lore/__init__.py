"""The canon of a series over reading, story and record time."""
