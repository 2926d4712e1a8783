"""The house of the turn's tests, for those of the pipeline that want a whole one."""

from tests.agent_core.turn.conftest import endpoint, folder, founded, house, probe

__all__ = ["endpoint", "folder", "founded", "house", "probe"]
