import random
from itertools import combinations

import pytest

from lib.charts.scatter import Box, Spot, placed

FRAME = Box(0, 0, 560, 540)


def covered(boxes: list[Box]) -> float:
    return sum(one.shared(other) for one, other in combinations(boxes, 2))


def test_two_boxes_share_the_area_where_they_meet() -> None:
    # 3 wide (2 to 5) and 2 high (4 to 6)
    assert Box(0, 0, 5, 6).shared(Box(2, 4, 9, 9)) == 6
    assert Box(0, 0, 5, 6).shared(Box(5, 0, 9, 9)) == 0


def test_a_name_alone_stands_beside_its_point() -> None:
    (box,) = placed([Spot(200, 200, 80, 14)], FRAME)
    assert box.inside(FRAME)
    assert box.left - 200 < 15
    assert box.shared(Box(195, 195, 205, 205)) == 0


@pytest.mark.parametrize("corner", [(0, 0), (560, 0), (0, 540), (560, 540)])
def test_a_name_in_a_corner_stays_inside(corner: tuple[float, float]) -> None:
    (box,) = placed([Spot(*corner, 120, 14)], FRAME)
    assert box.inside(FRAME)


@pytest.mark.parametrize("seed", range(20))
def test_names_of_27_authors_do_not_cover_each_other(seed: int) -> None:
    # Along a diagonal, as published scores lie: 45 to 75 of 100, names of up to 27 letters.
    chance = random.Random(seed)
    spots = []
    for _number in range(27):
        middle = chance.uniform(100, 460)
        x, y = middle + chance.uniform(-70, 70), 540 - middle + chance.uniform(-70, 70)
        spots.append(Spot(x, y, chance.randint(6, 27) * 7.0, 14))
    boxes = placed(spots, FRAME)
    assert covered(boxes) == 0
    assert boxes == placed(spots, FRAME)


def test_where_other_words_stand_no_name_goes() -> None:
    taken = Box(205, 0, 560, 540)
    (box,) = placed([Spot(200, 200, 60, 14)], FRAME, [taken])
    assert box.shared(taken) == 0


def test_more_names_than_room_still_get_a_place_each() -> None:
    boxes = placed([Spot(20, 20, 100, 14)] * 50, Box(0, 0, 120, 60))
    assert len(boxes) == 50
