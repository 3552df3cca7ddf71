import json

import pytest

from annotate.engine.purposes import purposes
from annotate.errors import Refused
from annotate.models import Project, Run
from judging.models import Author
from judging.verdicts.judge_options import read_pairs
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.people import make_project
from tests.support.runs import make_endpoint, make_run

JUDGE = purposes()["judge"]


def rows(*pairs: tuple[str, str, str]) -> str:
    return "\n".join(json.dumps(dict(zip(("key", "first", "second"), pair, strict=True))) for pair in pairs)


def test_rows_are_read_however_they_are_parted_and_each_once() -> None:
    text = rows(("k", "A", "B"), ("k", "B", "A"), ("k", "A", "B"))
    assert [pair[:3] for pair in read_pairs("\ufeff" + text + "\n\n")] == [("k", "A", "B"), ("k", "B", "A")]
    assert read_pairs(text.replace("\n", " ")) == [("k", "A", "B", 1), ("k", "B", "A", 1)]
    assert read_pairs("") == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"key": "k", "first": "A", "second": "B"}\n{', "Line 2 is not a JSON object"),
        ('\n{"key": "k", "first": "A"}', "Line 2 needs"),
        ('["k", "A", "B"]', "Line 1 needs"),
        ('{"key": "k", "first": "A", "second": 7}', "Line 1 needs"),
        ('{"key": "k", "first": "A", "second": "A"}', "with itself"),
    ],
)
def test_a_row_that_says_no_pair_is_named_by_its_line(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_pairs(text)


def planned(project: Project, **options: object) -> Run:
    columns = {"options": {"strategy": "pairwise", **options}, "endpoint": make_endpoint()}
    return make_run(project, purpose="judge", **columns)


@pytest.mark.django_db
def test_listed_pairs_are_jobs_in_the_order_that_was_listed_with_gold_first() -> None:
    project = make_project()
    item, other = decided_item(project, CORRECTION), decided_item(project, CORRECTION)
    a, b, gold, spoiled = (answer_of(item, name) for name in ("A", "B", "the gold", "a spoiled"))
    answer_of(other, "A"), answer_of(other, "B")
    Author.objects.filter(name="the gold").update(sort="gold")
    Author.objects.filter(name="a spoiled").update(sort="perturbed")
    listed = rows((item.key, "B", "A"), (item.key, "a spoiled", "the gold"), (other.key, "A", "the gold"))
    made = planned(project, listed=listed, pairs="listed")
    assert sorted(one.subject for one in JUDGE.plan(made)) == sorted(
        [f"pair/{b.pk}/{a.pk}", f"pair/{gold.pk}/{spoiled.pk}"]
    )
    assert JUDGE.told_options(made)["Listed pairs"] == "3"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"listed": rows(("nowhere", "A", "B"))}, "Line 1: there is no item “nowhere”"),
        ({"listed": rows(("here", "A", "nobody"))}, "Line 1: there is no author “nobody”. Authors: A"),
        ({"listed": "{"}, "Line 1 is not a JSON object"),
        ({"pairs": "listed"}, "Enter a list of pairs if, and only if"),
        ({"pairs": "all", "listed": rows(("here", "A", "A2"))}, "Enter a list of pairs if, and only if"),
        ({"strategy": "vanilla", "listed": rows(("here", "A", "A2"))}, "one answer at a time"),
    ],
)
def test_a_list_that_names_what_is_not_there_is_refused(options: dict[str, object], told: str) -> None:
    project = make_project()
    item = decided_item(project, CORRECTION)
    item.key = "here"
    item.save(update_fields=["key"])
    answer_of(item, "A"), answer_of(item, "A2")
    with pytest.raises(Refused, match=told):
        list(JUDGE.plan(planned(project, **options)))
