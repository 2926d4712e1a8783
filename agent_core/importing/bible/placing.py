"""When scenes happen: places in the story from what notes say of dates, and of what is before and after."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from agent_core.importing.bible.model import BibleScene, Remark
from agent_core.importing.bible.scenes import scene_titles
from agent_core.lore.model import Mode, Relation, StoryPlace
from agent_core.vault import paths


def story_places(
    scenes: Sequence[BibleScene], nodes: Mapping[BibleScene, str], remarks: list[Remark]
) -> dict[str, StoryPlace]:
    """Return the places of those scenes of a book that don't happen where they are read, by node.

    `scenes` are in reading order. What a note says outright counts first; then dates: the longest run of
    linear scenes whose dates never go back stays as it is, and the others stand between them by theirs.
    """
    titles = scene_titles(scenes)
    places: dict[str, StoryPlace] = {}
    for scene in scenes:
        if scene.when is not None:
            other = titles.get(paths.key(scene.when.other))
            if other is None or other is scene:
                remarks.append(Remark("no_scene", scene.spot, {"name": scene.when.other}))
            else:
                places[nodes[scene]] = StoryPlace(scene.when.relation, nodes[other])
    free = [scene for scene in scenes if scene.when is None]
    dated = [scene for scene in free if scene.date]
    backbone = _longest_run([scene for scene in dated if scene.mode is Mode.LINEAR])
    if not backbone:
        return places
    rank = {scene: number for number, scene in enumerate(scenes)}
    kept = set(backbone)
    first = next((scene for scene in free if scene.mode is Mode.LINEAR and scene not in dated), backbone[0])
    opening = min(first, backbone[0], key=rank.__getitem__)
    before: BibleScene | None = None
    for scene in sorted(dated, key=lambda one: (one.date, one not in kept, rank[one])):
        if scene not in kept:
            places[nodes[scene]] = (
                StoryPlace(Relation.AFTER, nodes[before])
                if before is not None
                else StoryPlace(Relation.BEFORE, nodes[opening])
            )
        before = scene
    return places


def _longest_run(scenes: Sequence[BibleScene]) -> list[BibleScene]:
    """Return the longest part of the scenes, in their order, whose dates never go back."""
    ends: list[str] = []
    heads: list[int] = []
    before: dict[int, int | None] = {}
    for place, scene in enumerate(scenes):
        length = bisect_right(ends, scene.date)
        before[place] = heads[length - 1] if length else None
        ends[length : length + 1] = [scene.date]
        heads[length : length + 1] = [place]
    run: list[BibleScene] = []
    at = heads[-1] if heads else None
    while at is not None:
        run.append(scenes[at])
        at = before[at]
    return run[::-1]
