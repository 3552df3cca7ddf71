"""The promise that a way of asking is one folder: the one of docs/judging.md, from planning to its verdicts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.engine.purposes import purposes
from annotate.errors import Refused
from annotate.models import Project, Run
from annotate.runs.plan import plan_run, prompts_of
from judging.models import Judge, Verdict
from tests.support.documented import documented_family
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.judges import saying, simulated
from tests.support.people import make_project
from tests.support.running import run
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db
JUDGE = purposes()["judge"]


@pytest.fixture(autouse=True)
def marks(tmp_path: Path) -> Iterator[Path]:
    with documented_family(tmp_path) as folder:
        yield folder


@pytest.fixture
def project() -> Project:
    made = make_project()
    answer_of(decided_item(made, CORRECTION), "A")
    return made


def planned(project: Project, **options: object) -> Run:
    asked = {"strategy": "one-to-ten", **options}
    return plan_run(project=project, purpose="judge", endpoint=make_endpoint(), by=None, options=asked)


def test_a_folder_is_a_strategy_with_prompts_a_judge_and_verdicts(project: Project, marks: Path) -> None:
    made = planned(project, repeats=2)
    prompts = [(marks / "prompts" / f"mark.{language}.md").read_text().strip() for language in ("en", "zh")]
    assert sorted(prompt.text for prompt in made.prompts.all()) == sorted(prompts)
    (case,) = JUDGE.load(made, list(made.jobs.all()), prompts_of(made))
    JUDGE.store(case, run(JUDGE.work(case, simulated())))
    judge = Judge.objects.get()
    assert (judge.strategy, judge.variant) == ("one-to-ten", "scale=1-10")
    first, second = Verdict.objects.order_by("repeat")
    assert (first.repeat, second.repeat, first.reading) == (1, 2, "ok")
    assert 1 <= first.score_first <= 10
    assert first.reason


def test_what_it_cannot_read_is_unparsed(project: Project) -> None:
    made = planned(project)
    (case,) = JUDGE.load(made, list(made.jobs.all()), prompts_of(made))
    JUDGE.store(case, run(JUDGE.work(case, saying("eleven"))))
    assert Verdict.objects.get().reading == "unparsed"


def test_it_stands_in_the_form_and_among_the_prompts(project: Project, marks: Path) -> None:
    choice = JUDGE.first_choice(project)
    assert choice is not None
    assert ("one-to-ten", "One to ten") in [(value, str(name)) for value, name, _about in choice.offered]
    assert "marks" in JUDGE.scopes(project)
    (marks / "prompts" / "mark.en.md").unlink()
    with pytest.raises(Refused, match="no English prompt"):
        planned(project)
