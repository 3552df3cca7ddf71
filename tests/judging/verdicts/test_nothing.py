"""Why a run of judging has nothing to do."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Project, Run
from annotate.runs.item_selection import why_nothing
from annotate.runs.plan import plan_run
from judging.intake.vote_items import votes_beside
from judging.ratings.raters import ratings
from judging.ratings.units import PREFERENCE
from tests.judging.formats.test_votes import MTBENCH
from tests.support.desks import colleague
from tests.support.files import without
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.pages import html_of
from tests.support.people import make_item, make_member, make_project
from tests.support.programs_with_tokens import program
from tests.support.runs import make_endpoint
from tests.support.voted import bring, on_a_pair

pytestmark = pytest.mark.django_db
REIMPORT = (
    "Unknown texts cannot be judged. Import the votes into another project, from a file that contains the prompts and "
    "the answers."
)


def why(project: Project, **options: Any) -> list[str]:
    given = {"strategy": "checklist"} | options
    run = plan_run(project=project, purpose="judge", endpoint=make_endpoint(), by=None, options=given)
    return [str(sentence) for sentence in why_nothing(run)]


def test_items_that_are_not_accepted_are_counted() -> None:
    project = make_project()
    make_item(project), make_item(project)
    assert why(project) == ["Not accepted yet: 2.", "Only accepted items are judged. Accept some first."]


def test_a_project_without_items_says_so() -> None:
    assert why(make_project()) == ["No item matches the filters."]


def test_items_that_nobody_has_answered_say_so() -> None:
    project = make_project()
    decided_item(project, CORRECTION)
    assert why(project)[-1].startswith("No answers to judge.")


def test_answers_without_texts_say_so() -> None:
    project = make_project()
    answer_of(decided_item(project, CORRECTION), "A", text="", known=False)
    counted, remedy = why(project)[-2:]
    assert counted == "Answers with unknown text: 1."
    assert remedy == REIMPORT


def test_pairs_need_two_authors() -> None:
    project = make_project()
    answer_of(decided_item(project, CORRECTION), "A")
    assert (
        why(project, strategy="pairwise")[-1] == "Pairs need answers of two authors to the same item. No item has them."
    )


def test_items_that_the_strategy_cannot_ask_about_say_so() -> None:
    project = make_project()
    item = decided_item(project, CORRECTION)
    answer_of(item, "A")
    item.base.draft["checklist"] = []
    item.base.save(update_fields=["draft"])
    assert why(project)[-1] == "The strategy “Checklist” does not apply to any of these items."


def test_a_run_with_jobs_has_nothing_to_explain() -> None:
    project = make_project()
    make_item(project)
    answer_of(decided_item(project, CORRECTION), "A")
    assert why(project) == []


def test_the_command_says_why_there_was_nothing_to_do() -> None:
    project = make_project(slug="lab")
    make_item(project)
    make_endpoint(name="judge-m")
    out = StringIO()
    with pytest.raises(
        CommandError, match=r"Nothing to do\. Not accepted yet: 1\. Only accepted items are judged"
    ) as refused:
        call_command("judge", "lab", "--strategy", "checklist", "--endpoint", "judge-m", "--wait", stdout=out)
    assert refused.value.returncode == 1
    assert Run.objects.get().state == "planned"


def test_a_run_without_jobs_does_not_start_in_the_browser() -> None:
    project = make_project(slug="lab")
    make_item(project)
    run = plan_run(
        project=project, purpose="judge", endpoint=make_endpoint(), by=None, options={"strategy": "checklist"}
    )
    lead = colleague(project, "lead").client
    assert "Not accepted yet: 1." in html_of(lead, reverse("run", args=["lab", run.pk]))
    refused = lead.post(reverse("run_start", args=["lab", run.pk]))
    assert refused.status_code == 409
    assert "There is nothing to start. Not accepted yet: 1." in refused.content.decode()
    run.refresh_from_db()
    assert run.state == "planned"


def test_a_run_without_jobs_does_not_start_through_the_api() -> None:
    project = make_project(slug="lab")
    make_item(project)
    run = plan_run(
        project=project, purpose="judge", endpoint=make_endpoint(), by=None, options={"strategy": "checklist"}
    )
    refused = program(make_member(project, role="lead")).post(reverse("api_run_start", args=["lab", run.pk]))
    assert refused.status_code == 409, refused.content
    assert "Not accepted yet: 1." in refused.json()["message"]


def test_votes_that_a_study_drew_are_judged_where_the_answers_are(tmp_path: Path) -> None:
    project = make_project(slug="bench", kind_slug="branching")
    bring(project, tmp_path, on_a_pair())
    assert why(votes_beside(project, "preference"), strategy="pairwise")[-1].startswith(
        "The answers to these votes belong to"
    )


def test_items_of_votes_without_authors_say_so() -> None:
    project = make_project(kind_slug="preference")
    make_item(project, facts={"prompt": "Which?", "first": "This.", "second": "That."})
    assert why(project, strategy="pairwise")[-1].startswith("These items do not name the authors of their answers")


def test_ratings_without_texts_say_so_and_still_count(tmp_path: Path) -> None:
    project = make_project(kind_slug="preference", slug="votes")
    bring(project, tmp_path, *labels_only(), format="mtbench")
    assert why(project, strategy="pairwise") == [
        "Nothing to ask about them: 1.",
        "Answers with unknown text: 2.",
        REIMPORT,
    ]
    said = {(one.rater.name, one.value) for one in ratings(project, PREFERENCE)}
    assert said == {("expert_3", "first"), ("author_1", "tie"), ("gpt-4", "second")}


def labels_only() -> list[dict[str, Any]]:
    """Three rows of one pair as the public file of human judgements has them without conversations."""
    bare = without(MTBENCH, "conversation_a", "conversation_b")
    machine = {"judge": ["gpt-4", "pair-v2"], "winner": "model_b"}
    return [bare, bare | {"judge": "author_1", "winner": "tie"}, bare | machine]
