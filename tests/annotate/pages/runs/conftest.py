import pytest

from annotate import bell
from annotate.models import Run
from tests.support.reviews import Case
from tests.support.runs import make_jobs, make_run

RUNS = "/p/fb/runs/"
PARTS = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bell is rung for no worker: these are tests of pages."""
    monkeypatch.setattr(bell, "ring", lambda task, pk: None)


@pytest.fixture
def run(case: Case) -> Run:
    """One in the middle of its work."""
    made = make_run(case.project, created_by=case.lead, calls=9, budget="12", cost="6.84")
    make_jobs(made, done=3, leased=1, pending=4, causes={"timeout": 2, "wrong_shape": 1})
    return made
