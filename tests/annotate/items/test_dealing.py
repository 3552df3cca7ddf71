from scipy.stats import chisquare

from annotate.items.slots import deal


def test_a_person_gets_an_item_the_same_way_round_every_time() -> None:
    assert deal(12, 3) == deal(12, 3)
    assert len({deal(12, person) for person in range(50)}) == 50


def test_nobody_in_particular_gets_it_as_it_is_stored() -> None:
    assert deal(12, None) == 0


def test_sides_fall_alike_often_for_people_and_for_items() -> None:
    odd = sum(deal(item, person) % 2 for item in range(1, 501) for person in range(1, 21))
    assert chisquare([odd, 10_000 - odd]).pvalue > 0.01
