from pathlib import Path

import pytest
from pytest_django import Settings

from annotate.engine.addresses import announced
from annotate.models import Call, Item, Job, Project, Run
from annotate.upkeep import demo_fixture
from judging.boards.arithmetic.board import probe_runs
from judging.boards.judge_settings.numbers import crossed, sampled_runs
from judging.boards.rating_bias.board import rating_biases
from judging.boards.reported.board import case_table
from judging.demo import demo_cases
from judging.models import Verdict
from judging.ratings.intent_scores import reading
from judging.ratings.satisfaction import people
from judging.verdicts.verdict_scores import judges
from lib.simulated.server import serving

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
ROLES = {"lead": "lead", "ana": "annotator", "bo": "annotator", "rui": "reviewer"}


def seeded() -> Project:
    with serving(latency=0.0) as model, announced(model.base_url):
        return demo_cases.seed(ROLES)


def test_the_demo_of_use_cases_has_something_for_every_page_and_is_made_once(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    demo_fixture.load()
    project = Project.objects.get(slug=demo_cases.SLUG)
    _shows_something(project)
    _was_worked_by_real_runs(project)
    before = Call.objects.count(), Run.objects.count(), Item.objects.count(), Verdict.objects.count()
    assert seeded() == project
    assert (Call.objects.count(), Run.objects.count(), Item.objects.count(), Verdict.objects.count()) == before


def _shows_something(project: Project) -> None:
    items = Item.objects.filter(project=project).count()
    table = case_table(project)
    assert (len(table.groups), table.languages, table.total) == (7, ["CN", "EN"], items)
    usual = judges(project)[0]
    assert usual.variant == "scale=1-10 weights=leading"
    assert len(reading(project, usual).said) == items * 3
    biases = {row.judge.name: row.bias.value for row in rating_biases(project)}
    assert biases["simulated-judge-severe"] < biases["simulated-judge"] == 0 < biases["simulated-judge-lenient"]
    found = crossed(project, sampled_runs(project)[0])
    assert len(found.settings) == 5
    assert found.authors() == sorted(demo_cases.AUTHORS)
    weak, strong = (one.found.short.accuracy.value for one in sorted(probe_runs(project), key=lambda one: one.run.pk))
    assert weak < strong
    assert people(project).n == demo_cases.PEOPLE["sent"]


def _was_worked_by_real_runs(project: Project) -> None:
    assert Run.objects.filter(project=project).count() == 4 + 5 + 2
    for run in Run.objects.filter(project=project):
        assert (run.state, run.endpoint.simulated) == ("finished", True)
        assert run.calls == Call.objects.filter(job__run=run).count() == run.jobs.count()
        assert run.tokens_in > 0
    assert set(Job.objects.filter(run__project=project).values_list("state", flat=True)) == {"done"}
    assert not Verdict.objects.filter(judge__project=project).exclude(reading="ok").exists()
    assert set(Verdict.objects.filter(judge__project=project).values_list("judge__simulated", flat=True)) == {True}
