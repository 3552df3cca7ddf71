"""Judges over the demo's answers that differ, beside people's votes on some of them; one with two prompts."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from annotate.models import Call, Project
from annotate.upkeep import demo, demo_fixture
from annotate.upkeep.demo_projects import PERTURBATIONS_SLUG
from judging.demo import demo_blindspots, demo_runs
from judging.verdicts.verdict_scores import judges
from tests.support.programs import free_port


def written(*command: str, **options: object) -> str:
    out = StringIO()
    call_command(*command, stdout=out, **options)
    return out.getvalue()


@pytest.mark.slow
def test_judges_of_the_demo_stand_beside_its_people(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    demo_fixture.load()
    project = Project.objects.get(slug=demo.SLUG)
    models = [judge.name.split(" ")[0] for judge in judges(project)]
    assert sorted(models) == sorted([model for model, _endpoint in (*demo_runs.CHECKLIST_JUDGES, demo_runs.NOISY)])
    told = json.loads(written("report", demo.SLUG, "trust", "--json"))
    assert {row["judge"].split(" ")[0] for row in told["tests"]} == set(models)
    assert any(row["winning_rate"]["n"] for row in told["tests"])
    agreed = json.loads(written("report", demo.SLUG, "agreement", "--json"))["headline"]["judges"]
    values = {row["name"]: row["value"] for row in agreed}
    first, better = (value for name, value in sorted(values.items()) if "noisy" in name)
    assert better > first + 0.1
    assert max(values.values()) > min(values.values()) + 0.2


@pytest.mark.slow
def test_every_kind_of_board_has_data_that_differs(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    demo_fixture.load()
    ranked = json.loads(written("report", demo.SLUG, "ranking", "--json"))
    assert [model["name"] for model in ranked["models"]] == ["simulated-strong", "simulated-fair", "simulated-weak"]
    assert ranked["models"][1]["ties"] > 0
    spots = Project.objects.get(slug=PERTURBATIONS_SLUG)
    assert spots.judges.count() == len(demo_blindspots.RUNS)
    shares = {row["share"] for row in json.loads(written("report", spots.slug, "blindspots", "--json"))["rows"]}
    assert len(shares) > 3
    before = Call.objects.count()
    written("seed_demo", "--json", model_port=free_port())
    assert Call.objects.count() == before
