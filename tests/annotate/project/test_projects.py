from decimal import Decimal

import pytest

from annotate.errors import Refused, WrongState
from annotate.items import queue
from annotate.models import Guideline
from annotate.project import actions
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def test_who_starts_a_project_leads_it(case: Case) -> None:
    project = actions.start_project(slug="new", kind="feedback", name="New", lead=case.stranger)
    assert project.members.get().leads


def test_an_address_is_taken_once(case: Case) -> None:
    with pytest.raises(Refused, match="fb"):
        actions.create_project(slug="fb", kind="feedback")


def test_an_unknown_kind_or_option_is_named(case: Case) -> None:
    with pytest.raises(Refused, match="nonsense"):
        actions.create_project(slug="x", kind="nonsense")
    with pytest.raises(Refused, match="colour"):
        actions.create_project(slug="x", kind="feedback", options={"colour": 1})


def copied(case: Case, **said: object):
    return actions.copy_project(source=case.project, slug="copy", name="Copy", lead=case.lead, **said)


def test_a_copy_has_the_settings_and_guidelines_but_no_items(case: Case) -> None:
    case.item()
    actions.change_settings(
        case.project,
        reviews=0,
        lease_minutes=7,
        blind_share=Decimal("0.25"),
        licence="CC BY 4.0",
        options={"weight_tolerance": 0.01},
        languages=["zh"],
        overlap=2,
    )
    copy = copied(case)
    copy.refresh_from_db()
    for name in actions.COPIED:
        assert getattr(copy, name) == getattr(case.project, name), name
    assert copy.source == case.project
    assert [(guideline.version, guideline.text) for guideline in copy.guidelines.all()] == [(1, "Be kind.")]
    assert not copy.items.exists()


def test_a_copy_has_no_people_unless_asked(case: Case) -> None:
    assert [member.user for member in copied(case).members.all()] == [case.lead]


def test_people_are_copied_with_their_limits(case: Case) -> None:
    case.project.members.filter(user=case.annotator).update(daily_limit=3)
    copy = copied(case, with_people=True)
    assert copy.members.count() == 4
    assert copy.members.get(user=case.annotator).daily_limit == 3


def test_a_paused_project_hands_nothing_out_until_it_is_resumed(case: Case) -> None:
    case.item()
    actions.pause(case.project, by=case.lead, reason=" the rules change ")
    assert queue.claim_next(case.member(case.annotator), "annotate") is None
    assert case.project.paused_reason == "the rules change"
    actions.resume(case.project)
    assert queue.claim_next(case.member(case.annotator), "annotate") is not None


def test_pausing_needs_a_reason(case: Case) -> None:
    with pytest.raises(Refused):
        actions.pause(case.project, by=case.lead, reason="  ")
    case.project.refresh_from_db()
    assert not case.project.paused


def test_a_new_guideline_is_a_new_version(case: Case) -> None:
    actions.write_guideline(case.project, text="Be kinder.", note="more", by=case.lead, based_on=1)
    assert list(Guideline.objects.values_list("version", "text")) == [(2, "Be kinder."), (1, "Be kind.")]


def test_a_guideline_written_on_an_older_version_is_refused(case: Case) -> None:
    actions.write_guideline(case.project, text="A", note="", by=case.lead, based_on=1)
    with pytest.raises(WrongState, match="2"):
        actions.write_guideline(case.project, text="B", note="", by=case.lead, based_on=1)
    assert case.project.guidelines.count() == 2
