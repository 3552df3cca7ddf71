"""Many proposals approved at once: as they stand, of one set, and none that needs a person."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Annotation, Event, Item, Project, Slot
from judging.boards.bridging import proposals
from judging.boards.bridging.proposals import approve_all, approve_part
from judging.boards.bridging.stages import progress
from judging.training.chats import TrainingChoice
from judging.training.training_files import rows
from tests.support.bridged import branching_project, judgement, propose
from tests.support.desks import Worker, colleague
from tests.support.files import command
from tests.support.pages import html_of, said
from tests.support.trees import branch, tree

pytestmark = pytest.mark.django_db
PAGE = "/p/trees/bridging/"


@pytest.fixture
def project() -> Project:
    return branching_project()


@pytest.fixture
def lead(project: Project) -> Worker:
    return colleague(project, "lead")


def counts(project: Project) -> dict[str, int]:
    return {stage: n for stage, n in progress(project).counts.items() if n}


def test_all_of_a_set_are_approved_as_proposed_and_teach(project: Project, lead: Worker) -> None:
    for judge in ("auto-j", "auto-j", "judgelm"):
        judgement(project, proposed=True, judge=judge)
    judgement(project)
    found = approve_all(project=project, by=lead.member.user, judge="auto-j", style="verdict")
    assert (found.done, found.left_out) == (2, {})
    assert counts(project) == {"approved": 2, "proposed": 1, "waiting": 1}
    text = Annotation.objects.filter(author=lead.member.user).first()
    assert text is not None
    assert (text.unchanged, text.suggestion is not None) == (True, True)
    assert Event.objects.filter(verb="accepted", actor=lead.member.user).count() == 2
    files = [file for file, _row in rows(project, TrainingChoice())]
    assert files.count("reverse_criteria") == 2


def test_what_needs_a_person_is_left_out_with_its_reason(project: Project, lead: Worker) -> None:
    doubtful, held, incomplete, aside = (judgement(project) for _no in range(4))
    first = propose(doubtful)
    Annotation.objects.filter(pk=first.pk).update(doubts=[{"path": "", "message": "odd", "values": {}}])
    propose(held)
    other = colleague(project, "reviewer")
    other.client.post(f"{PAGE}take/{held.pk}/")
    last = propose(incomplete)
    Annotation.objects.filter(pk=last.pk).update(draft=tree(branch(1, None, description=" ")))
    propose(aside)
    Item.objects.filter(pk=aside.pk).update(
        facts=aside.facts | {"original": aside.facts["original"] | {"swapped": "first"}}
    )
    found = approve_all(project=project, by=lead.member.user)
    assert found.done == 0
    assert found.left_out == {"doubtful": 1, "held": 1, "incomplete": 1}, "what was set aside is not looked at"
    assert Slot.objects.get(item=held).holder == other.member.user
    assert not Item.objects.filter(project=project, state="accepted").exists()


def test_a_long_list_goes_on_where_it_stopped(project: Project, lead: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "AT_ONCE", 2)
    for _no in range(5):
        judgement(project, proposed=True)
    part = approve_part(project=project, by=lead.member.user)
    assert (part.done, part.finished) == (2, False)
    page = lead.client.post(f"{PAGE}approve/", {"sure": "1", "after": part.after, "done": 2}).content.decode()
    assert "4 proposals approved" in said(page)
    assert "1 proposal left" in said(page)
    assert approve_all(project=project, by=lead.member.user, most=9).done == 1


def test_the_page_offers_it_to_leads_in_the_list_of_proposals_and_asks_whether_they_are_sure(
    project: Project, lead: Worker
) -> None:
    judgement(project, proposed=True)
    assert "Approve 1 proposal" in said(html_of(lead.client, f"{PAGE}?stage=proposed"))
    assert "Approve 1 proposal" not in said(html_of(lead.client, PAGE))
    reviewer = colleague(project, "reviewer").client
    assert "Approve 1 proposal" not in said(html_of(reviewer, f"{PAGE}?stage=proposed"))
    assert reviewer.post(f"{PAGE}approve/", {"sure": "1"}).status_code == 403
    answer = lead.client.post(f"{PAGE}approve/", {}, follow=True)
    assert "Nothing was approved" in answer.content.decode()
    assert counts(project) == {"proposed": 1}
    assert "1 proposal approved" in said(lead.client.post(f"{PAGE}approve/", {"sure": "1"}).content.decode())


def told(*words: str) -> tuple[int, dict[str, Any], str]:
    return command("approve_proposals", "trees", *words)


def test_the_command_approves_in_the_name_of_a_lead(project: Project, lead: Worker) -> None:
    for _no in range(3):
        judgement(project, proposed=True)
    name = lead.member.user.username
    assert told("--by", name, "--limit", "2")[1] == {"approved": 2, "left_out": {}}
    assert told("--by", name)[1] == {"approved": 1, "left_out": {}}
    with pytest.raises(CommandError, match="'nobody' is not a lead of the project 'trees'"):
        call_command("approve_proposals", "trees", "--by", "nobody", stdout=StringIO())
