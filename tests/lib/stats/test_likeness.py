"""Short texts that say much the same: joined, numbered by size, and the same in any order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lib.stats import phrase_clusters
from lib.stats.phrase_clusters import clusters, features, named

WORDS = ["Correctness", "correct facts", "Factual correctness", "Tone", "Tone of voice", "正确", "正确性", "语气", ""]


def test_other_words_for_the_same_are_one_cluster_and_the_largest_is_the_first() -> None:
    found = clusters(["Tone", "Correctness", "Factual correctness", "correctness", "正确性", "正确"])
    assert found[1] == found[2] == found[3] == 0
    assert found[4] == found[5]
    assert len({found[0], found[1], found[4]}) == 3


def test_words_that_say_nothing_do_not_join() -> None:
    found = clusters(["Whether it is clear", "Whether it is short"])
    assert found[0] != found[1]
    assert features("Whether it is the") == []
    assert clusters(["", "...", "Whether it is the"]) == [0, 0, 0]


def test_a_cluster_is_called_by_its_most_frequent_text() -> None:
    assert named(["b", "a", "b "]) == "b"
    assert named(["b", "a"]) == "a"


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.randoms())
@settings(max_examples=60)
def test_the_order_of_the_texts_means_nothing(texts: list[str], chance: object) -> None:
    shuffled = list(texts)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    one = dict(zip(texts, clusters(texts), strict=True))
    assert one == dict(zip(shuffled, clusters(shuffled), strict=True))


@given(st.lists(st.text(max_size=12), max_size=10))
@settings(max_examples=60)
def test_any_text_has_a_cluster_and_numbers_have_no_gap(texts: list[str]) -> None:
    found = clusters(texts)
    assert len(found) == len(texts)
    assert set(found) == set(range(len(set(found))))


def test_beyond_what_is_compared_texts_join_the_nearest(monkeypatch: object) -> None:
    monkeypatch.setattr(phrase_clusters, "MOST", 2)  # type: ignore[attr-defined]
    texts = ["Tone", "Tone", "Correctness", "Correctness", "Tone of voice", "语气"]
    found = clusters(texts)
    assert found[4] == found[0]
    assert found[5] not in (found[0], found[2])
