import pytest

from annotate.kinds import find_kind
from annotate.project.next_steps import SetUp, next_steps

EMPTY = SetUp(items=0, accepted=0, guideline=0, people=1, invited=False, drafted=False, released=False)


def states(kind: str = "feedback", **known: int | bool | frozenset[str]) -> dict[str, str]:
    steps = next_steps(find_kind(kind), SetUp(**{**vars(EMPTY), **known}))
    return {step.name: step.state for step in steps}


def test_a_new_project_begins_with_the_import() -> None:
    assert states() == {
        "import": "next",
        "guidelines": "open",
        "people": "open",
        "drafts": "optional",
        "work": "open",
        "release": "later",
    }


@pytest.mark.parametrize(
    ("known", "following"),
    [
        ({"items": 3}, "guidelines"),
        ({"items": 3, "guideline": 1}, "people"),
        ({"items": 3, "guideline": 1, "people": 2}, "work"),
        ({"guideline": 1, "people": 2}, "import"),
        ({"items": 3, "accepted": 1, "guideline": 1, "people": 2}, "release"),
    ],
)
def test_the_first_missing_step_is_the_next_one(known: dict[str, int], following: str) -> None:
    assert [name for name, state in states(**known).items() if state == "next"] == [following]


def test_with_everything_submitted_the_queue_leads_to_the_review() -> None:
    known = {"items": 3, "guideline": 1, "people": 2, "in_review": 3}
    step = next(
        step for step in next_steps(find_kind("feedback"), SetUp(**{**vars(EMPTY), **known})) if step.name == "work"
    )
    assert (step.state, step.address("fb")) == ("next", "/p/fb/review/")
    assert step.note == "3 items wait for a reviewer: another person than the one who submitted them."
    begun = next_steps(find_kind("feedback"), SetUp(**{**vars(EMPTY), **known, "to_annotate": 1}))
    assert [step.address("fb") for step in begun if step.name == "work"] == ["/p/fb/work/next/"]


def test_a_release_waits_for_accepted_items() -> None:
    known = {"items": 3, "guideline": 1, "people": 2}
    assert states(**known)["release"] == "later"


def test_a_run_for_drafts_is_optional_and_only_where_models_write_drafts() -> None:
    assert states(drafted=True)["drafts"] == "done"
    assert "drafts" not in states("preference")


def test_after_the_first_release_only_what_is_missing_is_left() -> None:
    assert states("prompt", released=True, guideline=1) == {}
    assert states("prompt", released=True) == {"guidelines": "next", "release": "done"}


def test_a_release_leads_to_answers_and_a_judge_where_models_answer() -> None:
    known = {"released": True, "guideline": 1}
    assert states(**known) == {"guidelines": "done", "release": "done", "answers": "optional", "judge": "optional"}
    answered = next_steps(find_kind("feedback"), SetUp(**{**vars(EMPTY), **known, "followed": frozenset({"answers"})}))
    assert [(step.name, step.address("fb")) for step in answered[2:]] == [
        ("answers", "/p/fb/answers/"),
        ("judge", "/p/fb/runs/new/?run-purpose=judge"),
    ]
    assert states(**known, followed=frozenset({"answers", "judge"})) == {}
    assert states("checklist_vote", **known) == {}
