"""A judge's own criteria against recovered ones; the numbers are derived beside each test."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Project
from judging.boards.bridging.numbers import (
    CHANGED,
    NO_LABEL,
    ONE_ORDER,
    ONLY_BEFORE,
    UNREADABLE,
    BridgingRow,
    compare_bridging,
)
from tests.support.bridged import approved, branching_project, judged, judgement, judges
from tests.support.files import command

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project()


def pair(project: Project, before: tuple[str, ...], after: tuple[str, ...], *, turned: bool = False, **more: object):
    item = approved(judgement(project, proposed=True, **more))
    own, recovered = judges(project)
    judged(item, own, *before, turned=turned)
    judged(item, recovered, *after, turned=turned)
    return item


def the_row(project: Project) -> BridgingRow:
    (row,) = compare_bridging(project).rows
    return row


def test_agreement_is_the_same_in_both_orders_and_peoples_label(project: Project) -> None:
    right, wrong, torn = ("second", "second"), ("first", "first"), ("second", "first")
    gained = pair(project, wrong, right)
    pair(project, torn, right)
    pair(project, right, right)
    lost = pair(project, right, torn)
    row = the_row(project)
    # before: right on 2 of 4, consistent on 3, first order right on 3; after: right on 3, consistent on 3, first 4.
    assert (row.before.agreement.value, row.before.consistency.value, row.before.accuracy.value) == (0.5, 0.75, 0.75)
    assert (row.after.agreement.value, row.after.consistency.value, row.after.accuracy.value) == (0.75, 0.75, 1.0)
    # gains +1 +1 0 −1: mean 0.25; two gained, one lost: p = 2 · (1 + 3) / 2³ = 1
    assert (row.gain.value, row.gain.n, row.test.p) == (0.25, 4, 1.0)
    assert row.gain.low is not None
    assert row.gain.low < 0.25
    assert gained.pk in row.items("gained")
    assert row.items("lost") == [lost.pk]
    assert [len(row.items(name)) for name in ("both", "neither", "")] == [1, 0, 4]


def test_it_does_not_matter_in_which_order_the_answers_are_kept(project: Project) -> None:
    pair(project, ("first", "first"), ("second", "second"), turned=True)
    row = the_row(project)
    assert (row.before.agreement.value, row.after.agreement.value) == (0.0, 1.0)


def test_what_cannot_be_compared_is_left_out_with_why(project: Project) -> None:
    both = ("second", "second")
    pair(project, both, both)
    pair(project, both, both, label=None)
    pair(project, both, ())
    pair(project, both, ("second",))
    pair(project, both, ("second", ""))
    changed = approved(judgement(project, proposed=True), edited=True)
    own, recovered = judges(project)
    judged(changed, own, *both)
    judged(changed, recovered, *both, names=("An older name", "Name 2"))
    row = the_row(project)
    assert len(row.seen) == 1
    counts = {why: len(items) for why, items in row.left_out.items()}
    assert counts == {NO_LABEL: 1, ONLY_BEFORE: 1, ONE_ORDER: 1, UNREADABLE: 1, CHANGED: 1}
    assert row.items(CHANGED) == [changed.pk]


def test_judges_that_were_asked_one_way_only_make_no_row_and_the_original_verdicts_are_told(project: Project) -> None:
    item = approved(judgement(project, proposed=True))
    approved(judgement(project, proposed=True, label="first"))
    judged(item, judges(project)[0], "second", "second")
    found = compare_bridging(project)
    assert [len(row.seen) for row in found.rows] == [0]
    assert (found.original.value, found.original.n) == (0.5, 2)


def test_sets_have_a_row_each_where_there_are_several(project: Project) -> None:
    right = ("second", "second")
    pair(project, right, right)
    pair(project, right, right, judge="other")
    assert [row.group for row in compare_bridging(project, by_set=True).rows] == ["", "auto-j", "other"]


def test_the_queries_do_not_grow_with_the_pairs(project: Project) -> None:
    def asked() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            compare_bridging(project)
        return len(queries)

    pair(project, ("first", "first"), ("second", "second"))
    before = asked()
    for _no in range(4):
        pair(project, ("first", "first"), ("second", "second"))
    assert asked() == before


def test_the_report_has_the_shape_that_scripts_rely_on(project: Project) -> None:
    pair(project, ("first", "first"), ("second", "second"))
    code, told, _err = command("report", project.slug, "bridging")
    assert code == 0
    assert told["progress"]["total"] == 1
    assert told["progress"]["sets"] == [
        {"judge": "auto-j", "style": "verdict", "items": 1, "stages": {"approved": 1}},
    ]
    (row,) = told["rows"]
    assert (row["judge"], row["set"], row["n"]) == ("judge-m · branching · n=5 scale=5-25", None, 1)
    assert (row["before"]["agreement"], row["after"]["agreement"]) == (0.0, 100.0)
    assert set(row["gain"]) >= {"value", "low", "high", "n"}
    assert row["pairs"] == {"gained": 1, "lost": 0, "both": 0, "neither": 0}
    assert command("report", project.slug, "bridging", "--by", "set", "--judge", "judge-m")[1]["rows"] == told["rows"]


def test_before_anything_is_judged_the_report_says_how_far_things_are(project: Project) -> None:
    assert command("report", project.slug, "bridging")[0] == 1
    judgement(project)
    code, told, _err = command("report", project.slug, "bridging")
    assert (code, told["rows"]) == (0, [])
    assert "both its own and recovered criteria" in told["note"]
