"""Two judges over the demo's answers, beside people's votes on some of them."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from annotate.models import Call, Project
from annotate.upkeep import demo, demo_fixture
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
    assert {judge.name for judge in judges(project)} == {"simulated-judge", "simulated-judge-noisy"}
    told = json.loads(written("report", demo.SLUG, "trust", "--json"))
    assert {row["judge"].split(" ")[0] for row in told["tests"]} == {"simulated-judge", "simulated-judge-noisy"}
    before = Call.objects.count()
    written("seed_demo", "--json", model_port=free_port())
    assert Call.objects.count() == before
