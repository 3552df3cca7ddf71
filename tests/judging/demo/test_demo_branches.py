"""The branching demo out of the fixture: every step left something to look at, and live seeding adds nothing."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from annotate.models import Call, Item, Project
from annotate.upkeep import demo_fixture
from judging.boards.branches.gain import gain
from judging.demo.demo_branches import ACCEPTED, BRANCHES, SLUG
from judging.models import Answer
from judging.ratings.branch_pairs import curves
from tests.support.programs import free_port


@pytest.mark.slow
def test_the_branching_demo_is_drafted_judged_twice_and_corrected_once(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    settings.DATA_DIR = tmp_path
    demo_fixture.load()
    project = Project.objects.get(slug=SLUG)
    assert project.items.filter(state=Item.State.ACCEPTED).count() == ACCEPTED
    assert set(project.runs.values_list("purpose", "state")) == {
        (purpose, "finished") for purpose in ("preannotate", "judge", "correct")
    }
    assert [len(one.points) for one in curves(project).all if one.ties] == [BRANCHES] * 3
    for row in gain(project).rows:
        assert row.gain.low is not None
        assert row.gain.low > 0
    assert Answer.objects.filter(author__corrects__isnull=False, job__run__purpose="correct").exists()
    before, out = Call.objects.count(), StringIO()
    call_command("seed_demo", "--json", model_port=free_port(), stdout=out)
    assert json.loads(out.getvalue())["made"] is False
    assert (Call.objects.count(), project.runs.count()) == (before, 5)
