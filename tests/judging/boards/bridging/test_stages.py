import pytest

from annotate.items.actions import drop
from annotate.models import Item, Project
from judging.boards.bridging.stages import PROPOSED, listed, next_proposed, progress
from tests.support.bridged import approved, branching_project, judgement
from tests.support.people import make_item, make_member
from tests.support.trees import PAIR

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return branching_project()


def test_every_judgement_is_in_one_stage(project: Project) -> None:
    judgement(project)
    judgement(project, proposed=True)
    approved(judgement(project, proposed=True))
    approved(judgement(project, proposed=True), edited=True)
    judgement(project, swapped="first")
    judgement(project, swapped="first", proposed=True)
    judgement(project, reference="Eight.")
    judgement(project, verdict=None, swapped=None)
    in_review = judgement(project, proposed=True)
    Item.objects.filter(pk=in_review.pk).update(state=Item.State.REVIEWING)
    gone = judgement(project)
    drop(Item.objects.get(pk=gone.pk), by=None, reason="other")
    make_item(project, facts=PAIR)
    far = progress(project)
    assert dict(far.counts) == {
        "waiting": 1,
        "proposed": 1,
        "in_review": 1,
        "approved": 1,
        "edited": 1,
        "orders": 2,
        "reference": 1,
        "nothing": 1,
        "dropped": 1,
    }
    assert (far.total, far.set_aside, far.decided) == (10, 4, 2)


def test_stages_say_what_the_kind_says(project: Project) -> None:
    """The database and the kind tell alike why a judgement is set aside."""
    for original in ({}, {"swapped": "tie"}, {"swapped": None}, {"reference": "R"}, {"verdict": None, "swapped": None}):
        judgement(project, **original)
    for row in listed(project).rows:
        kind = project.kind
        assert kind.set_aside(kind.read_facts(row.item.facts)) in (row.stage, "")
        assert (kind.set_aside(kind.read_facts(row.item.facts)) == "") == (row.stage == "waiting")


def test_sets_are_told_apart_by_judge_and_style_the_largest_first(project: Project) -> None:
    judgement(project, style="score", judge="other", verdict=None, swapped=None, score_first=3)
    judgement(project)
    judgement(project, proposed=True)
    sets = progress(project).sets
    assert [(one.judge, one.style, one.total) for one in sets] == [("auto-j", "verdict", 2), ("other", "score", 1)]


def test_the_list_goes_on_where_a_page_ended_and_names_who_could_be_taken_up(project: Project) -> None:
    items = [judgement(project, proposed=no > 0) for no in range(3)]
    first = listed(project, size=2)
    assert [one.item for one in first.rows] == items[:2]
    assert [one.slot is None for one in first.rows] == [True, False]
    assert [one.item for one in listed(project, after=first.after or 0).rows] == items[2:]
    assert [one.item for one in listed(project, stage=PROPOSED, judge="auto-j").rows] == items[1:]
    assert listed(project, judge="nobody").rows == []


def test_the_next_is_a_proposal_that_nobody_holds(project: Project) -> None:
    member = make_member(project, "lead")
    judgement(project)
    assert next_proposed(project, member) is None
    item = judgement(project, proposed=True)
    found = next_proposed(project, member)
    assert found is not None
    assert found.item_id == item.pk
