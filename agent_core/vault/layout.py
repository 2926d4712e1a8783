"""Places for the points of a graph, so that what is linked lies near: the same graph always looks the same.

Distances on paper follow those along the links, by stochastic gradient descent on the stress (Zheng, Pawar
and Goodman, 2018). Groups without a link between them are set side by side.
"""

import math
import random
from collections import deque
from collections.abc import Mapping, Sequence, Set
from itertools import combinations

Point = tuple[float, float]

_ROUNDS = 20
_LAST_STEP = 0.05
_GAP = 1.2  # between groups, in lengths of a link
_SHAPE = 0.8  # the width of the whole by its height: phones are held upright


def layout(nodes: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, Point]:
    """Return a place for each node, in lengths of a link, from (0, 0) on to the right and down."""
    near = _neighbours(nodes, links)
    groups = sorted(_groups(nodes, near), key=len, reverse=True)
    return _side_by_side([_placed(group, near) for group in groups])


def _neighbours(nodes: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, set[str]]:
    near: dict[str, set[str]] = {node: set() for node in nodes}
    for one, other in links:
        near[one].add(other)
        near[other].add(one)
    return near


def _groups(nodes: Sequence[str], near: Mapping[str, Set[str]]) -> list[list[str]]:
    """Return the nodes that hang together, in their order."""
    left = dict.fromkeys(nodes)
    groups = []
    while left:
        reached = _distances(next(iter(left)), near)
        groups.append([node for node in left if node in reached])
        for node in reached:
            left.pop(node)
    return groups


def _distances(start: str, near: Mapping[str, Set[str]]) -> dict[str, int]:
    """Return how many links away each node is that can be reached."""
    found = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in sorted(near[node]):
            if other not in found:
                found[other] = found[node] + 1
                waiting.append(other)
    return found


def _placed(group: Sequence[str], near: Mapping[str, Set[str]]) -> dict[str, Point]:
    """Return places of one group, its longer side upright."""
    chance = random.Random(len(group))  # noqa: S311  for looks, and the same each time
    places = [[chance.random(), chance.random()] for _ in group]
    away = [_distances(node, near) for node in group]
    pairs = [(i, j, away[i][group[j]]) for i, j in combinations(range(len(group)), 2)]
    farthest = max((distance for _, _, distance in pairs), default=1)
    shrink = math.log(farthest**2 / _LAST_STEP) / (_ROUNDS - 1)
    for turn in range(_ROUNDS):
        chance.shuffle(pairs)
        step = farthest**2 * math.exp(-shrink * turn)
        for i, j, distance in pairs:
            _pull(places[i], places[j], distance, min(step / distance**2, 1.0))
    return dict(zip(group, _upright([(x, y) for x, y in places]), strict=True))


def _pull(one: list[float], other: list[float], distance: float, share: float) -> None:
    """Move two points towards the distance they should have."""
    x, y = one[0] - other[0], one[1] - other[1]
    length = math.hypot(x, y) or 1e-9
    by = share * (length - distance) / (2 * length)
    one[0] -= by * x
    one[1] -= by * y
    other[0] += by * x
    other[1] += by * y


def _upright(points: Sequence[Point]) -> list[Point]:
    """Return the points turned so that they spread most from top to bottom."""
    x0 = sum(x for x, _ in points) / len(points)
    y0 = sum(y for _, y in points) / len(points)
    xx = sum((x - x0) ** 2 for x, _ in points)
    yy = sum((y - y0) ** 2 for _, y in points)
    xy = sum((x - x0) * (y - y0) for x, y in points)
    angle = math.pi / 2 - 0.5 * math.atan2(2 * xy, xx - yy)
    turned_x, turned_y = math.cos(angle), math.sin(angle)
    turned = [(x * turned_x - y * turned_y, x * turned_y + y * turned_x) for x, y in points]
    left, top = min(x for x, _ in turned), min(y for _, y in turned)
    return [(x - left, y - top) for x, y in turned]


def _side_by_side(groups: Sequence[Mapping[str, Point]]) -> dict[str, Point]:
    """Return all groups in rows, the largest first."""
    sizes = [_size(group) for group in groups]
    area = sum((width + _GAP) * (height + _GAP) for width, height in sizes)
    room = max([math.sqrt(area * _SHAPE), *(width for width, _ in sizes)])
    placed: dict[str, Point] = {}
    x = y = height = 0.0
    for group, size in zip(groups, sizes, strict=True):
        if x and x + size[0] > room:
            x, y, height = 0.0, y + height + _GAP, 0.0
        placed |= {node: (x + at[0], y + at[1]) for node, at in group.items()}
        x += size[0] + _GAP
        height = max(height, size[1])
    return placed


def _size(group: Mapping[str, Point]) -> Point:
    return max(x for x, _ in group.values()), max(y for _, y in group.values())
