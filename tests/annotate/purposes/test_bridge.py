from typing import Any

import pytest

from annotate.engine.purposes import purposes
from annotate.models import Annotation, Item, Job, Project, Run
from annotate.purposes.bridge import FIRST
from tests.annotate.kinds.test_branching_bridging import CRITERIA, VERDICT, script
from tests.annotate.purposes.test_preannotate import make_run
from tests.support.people import make_item, make_project
from tests.support.running import run
from tests.support.scripted import Script, shipped
from tests.support.trees import PAIR

pytestmark = pytest.mark.django_db
BRIDGE = purposes()["bridge"]


@pytest.fixture
def project() -> Project:
    return make_project(kind_slug="branching", options={"criteria": 2})


def judged(project: Project, original: dict[str, Any] | None = VERDICT, **columns: Any) -> Item:
    facts = PAIR | ({"original": original} if original else {})
    return make_item(project, **{"facts": facts} | columns)


def worked(planned: Run, ask: Script) -> None:
    jobs = [
        Job.objects.get_or_create(run=planned, subject=one.subject, item_id=one.item_id)[0]
        for one in BRIDGE.plan(planned)
    ]
    for case in BRIDGE.load(planned, jobs, shipped("branching")):
        BRIDGE.store(case, run(BRIDGE.work(case, ask)))


def two() -> Script:
    return script(criteria=CRITERIA["criteria"][:2])


def test_it_is_offered_where_judgements_are_kept_and_nowhere_else(project: Project) -> None:
    assert BRIDGE.suits(project)
    assert not BRIDGE.suits(make_project())
    assert list(BRIDGE.plan(make_run(make_project(), "bridge"))) == []


def test_what_is_set_aside_gets_no_job_and_is_counted_with_why(project: Project) -> None:
    able = judged(project)
    judged(project, None)
    judged(project, VERDICT | {"swapped": "first"})
    judged(project, VERDICT | {"reference": "Eight."})
    Item.objects.filter(pk=judged(project).pk).update(state="accepted")
    planned = make_run(project, "bridge")
    assert [one.item_id for one in BRIDGE.plan(planned)] == [able.pk]
    assert [count for _why, count in BRIDGE.left_out(planned)] == [1, 1]


def test_the_limit_is_one_of_jobs_and_not_of_items_looked_at(project: Project) -> None:
    judged(project, None)
    able = [judged(project).pk for _no in range(3)]
    planned = make_run(project, "bridge", options={"limit": 2})
    assert [one.item_id for one in BRIDGE.plan(planned)] == able[:2]


def test_a_proposal_is_a_suggestion_without_scores_and_is_handed_out_first(project: Project) -> None:
    waiting, item = judged(project), judged(project)
    planned = make_run(project, "bridge", options={"items": {"q": item.key}})
    worked(planned, two())
    worked(planned, two())
    found = Annotation.objects.get(item=item)
    assert (found.run, found.author, found.prompt_version) == (planned, None, "v1 en")
    assert [one["name"] for one in found.draft["branches"]] == ["N1", "N2"]
    assert {one["judgement"]["score_first"] for one in found.draft["branches"]} == {None}
    item.refresh_from_db()
    assert (item.priority, item.slots.get().priority, waiting.priority) == (FIRST, FIRST, 0)


def test_another_run_goes_on_with_what_has_no_proposal_unless_asked_again(project: Project) -> None:
    first, second = judged(project), judged(project)
    worked(make_run(project, "bridge", options={"limit": 1}), two())
    assert [one.item_id for one in BRIDGE.plan(make_run(project, "bridge"))] == [second.pk]
    again = make_run(project, "bridge", options={"again": True})
    assert [one.item_id for one in BRIDGE.plan(again)] == [first.pk, second.pk]


def test_the_estimate_counts_one_call_a_criterion_and_one_more(project: Project) -> None:
    item, planned = judged(project), make_run(project, "bridge")
    Job.objects.create(run=planned, subject=f"item/{item.pk}", item=item)
    assert BRIDGE.calls_expected(planned) == 3
