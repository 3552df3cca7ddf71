import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.engine.purposes import purposes
from annotate.models import Item, Project, Run
from annotate.runs import actions
from annotate.runs.execution import work
from annotate.runs.plan import plan_run
from judging.answers.cases import case_of
from judging.boards.rating_bias.board import rating_biases
from judging.models import Answer, Judge, Verdict
from judging.verdicts.verdict_scores import judges
from tests.support.judged import answer_of
from tests.support.model_server import ModelServer
from tests.support.runs import make_endpoint
from tests.support.use_cases import decided_case, intent_judge, scored, use_case_project

pytestmark = pytest.mark.django_db
LENIENT = 0.4  # how often simulated-judge-lenient adds a point, as the simulated model says of itself
MET, LEFT = "I have taken “{}” into account and settled it.", "I leave “{}” as it stood before."


@pytest.fixture
def project() -> Project:
    return use_case_project(slug="urs")


def reported(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    call_command("report", "urs", "rating_bias", "--json", *words)
    return dict(json.loads(capsys.readouterr().out))


def answered_twice(item: Item, author: str, text: str = "An answer.") -> tuple[Answer, Answer]:
    return answer_of(item, author, text=text), answer_of(item, author, sample=2, text=f"{text} ")


def own(item: Item, author: str, judge: Judge, score: float | None, **columns: Any) -> Verdict:
    """The judge's score of the author's second answer beside the first."""
    case = case_of(item)
    assert case is not None
    first, second = answered_twice(item, author)
    given = {"case_sha": case.judged.sha256, "reading": "ok" if score is not None else "unparsed"} | columns
    return Verdict.objects.create(judge=judge, item=item, first=second, reference=first, score_first=score, **given)


def test_a_small_case_derived_by_hand(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judge, items = intent_judge(project), [decided_case(project) for _ in range(3)]
    for item, score in zip(items, (9.0, 8.0, 10.0), strict=True):
        own(item, "one", judge, score)
    for item, score in zip(items[:2], (8.0, 7.0), strict=True):
        own(item, "two", judge, score)
    # one: (9 + 8 + 10) / 3 − 8 = 1; two: (8 + 7) / 2 − 8 = −0.5; mean of both 0.25, and not 42 / 5 − 8 = 0.4
    (row,) = reported(capsys)["rows"]
    assert (row["judge"], row["n"], row["cases"]) == ("judge-m", 5, 3)
    assert row["bias"] == pytest.approx(0.25)
    low, high = row["interval"]
    assert low <= 0.25 <= high
    assert [(each["author"], each["n"], each["bias"]) for each in row["authors"]] == [("one", 3, 1.0), ("two", 2, -0.5)]
    # one: deviation 1, t(2) = 4.3027: 1 ± 4.3027 / √3
    assert row["authors"][0]["interval"] == pytest.approx([1 - 2.48414, 1 + 2.48414], abs=1e-4)


def test_only_second_answers_beside_the_authors_own_first_ones_count(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    judge, item = intent_judge(project), decided_case(project)
    own(item, "one", judge, 9.0)
    other = decided_case(project)
    scored(other, "one", judge, 2.0)  # beside nothing
    strange = own(decided_case(project), "two", judge, 1.0)
    Verdict.objects.filter(pk=strange.pk).update(reference=answer_of(item, "three"))
    (row,) = reported(capsys)["rows"]
    assert (row["n"], row["bias"]) == (1, 1.0)


def test_what_cannot_be_read_or_is_outdated_is_left_out_and_counted(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = intent_judge(project)
    own(decided_case(project), "one", judge, 7.0)
    own(decided_case(project), "one", judge, None)
    own(decided_case(project), "one", judge, 3.0, case_sha="0" * 64)
    renewed = own(decided_case(project), "one", judge, 3.0)
    answer_of(renewed.item, "one", version=2, text="Another first answer.")
    (row,) = reported(capsys)["rows"]
    assert (row["n"], row["bias"], row["unread"], row["outdated"]) == (1, -1.0, 1, 2)


def test_repeats_are_one_score(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    judge = intent_judge(project)
    said = own(decided_case(project), "one", judge, 7.0)
    said.pk, said.repeat, said.score_first = None, 2, 10.0
    said.save()
    (row,) = reported(capsys)["rows"]
    assert (row["n"], row["bias"]) == (1, 0.5)


def test_without_such_verdicts_it_says_what_to_do(project: Project) -> None:
    with pytest.raises(CommandError, match="--own-reference"):
        call_command("report", "urs", "rating_bias", "--json")


def test_as_many_queries_for_many_verdicts(project: Project) -> None:
    counts = []
    for name in ("m", "n"):
        for _case in range(3):
            own(decided_case(project), f"author-{name}", intent_judge(project, name), 8.0)
        with CaptureQueriesContext(connection) as queries:
            rating_biases(project)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 5


# --- through the engine ---------------------------------------------------------------------------------------------
def judged(project: Project, model: str, server: ModelServer, **options: Any) -> Run:
    endpoint = make_endpoint(model=model, base_url=server.base_url, simulated=True)
    given = {"strategy": "intent", "own_reference": True} | options
    run = plan_run(project=project, purpose="judge", endpoint=endpoint, by=None, options=given)
    actions.start(run, None, ring=False)
    work(run)
    return run


def test_the_known_bias_of_a_simulated_judge_is_recovered(
    project: Project, model_server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(40):
        # What a simulated judge makes of a case follows from its words: they are the same in every run.
        item = decided_case(project, first_question=f"What about case {number}?")
        answered_twice(item, "better", " ".join([MET.format(f"{number} a"), MET.format("b"), LEFT.format("c")]))
        answered_twice(item, "worse", " ".join([MET.format(f"{number} a"), LEFT.format("b"), LEFT.format("c")]))
    for model in ("simulated-judge", "simulated-judge-lenient", "simulated-judge-severe"):
        run = judged(project, model, model_server)
        assert run.jobs.filter(state="done").count() == 80
    rows = {row["judge"]: row for row in reported(capsys)["rows"]}
    assert {row["n"] for row in rows.values()} == {80}
    # Without a bias every second answer gets exactly 8, so that nothing varies and there is no interval.
    assert (rows["simulated-judge"]["bias"], rows["simulated-judge"]["interval"]) == (0.0, None)
    for model, truth in (("simulated-judge-lenient", LENIENT), ("simulated-judge-severe", -LENIENT)):
        low, high = rows[model]["interval"]
        assert low <= truth <= high
        assert not low <= 0 <= high


def test_a_run_by_own_references_takes_second_answers_that_have_a_first_one(
    project: Project, model_server: ModelServer
) -> None:
    item, lonely = decided_case(project), decided_case(project)
    _first, second = answered_twice(item, "one")
    answer_of(lonely, "one", sample=2)
    run = judged(project, "simulated-judge", model_server)
    assert list(run.jobs.values_list("subject", flat=True)) == [f"answer/{second.pk}"]
    verdict = Verdict.objects.get()
    assert verdict.reference is not None
    assert (verdict.reference.author.name, verdict.reference.sample) == ("one", 1)


def test_such_a_judge_is_another_one_and_never_the_usual(project: Project, model_server: ModelServer) -> None:
    scored(decided_case(project), "one", intent_judge(project), 6.0)
    for _case in range(2):
        answered_twice(decided_case(project), "one")
    judged(project, "simulated-judge", model_server)
    usual, other = judges(project)
    assert usual.variant == "scale=1-10"
    assert other.variant == "scale=1-10 weights=leading reference=own"


def test_own_first_answers_need_a_judge_who_is_told_what_a_reference_is_worth(project: Project) -> None:
    name = make_endpoint().name
    with pytest.raises(CommandError, match="gives the reference no score of its own"):
        call_command("judge", "urs", "--strategy", "reference", "--endpoint", name, "--own-reference")


def test_the_command_and_the_form_plan_such_a_run_also_where_a_reference_is_chosen(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    answered_twice(decided_case(project), "one")
    name, words = make_endpoint().name, ("--strategy", "intent", "--own-reference", "--reference", "one", "--json")
    call_command("judge", "urs", "--endpoint", name, *words)
    assert json.loads(capsys.readouterr().out)["jobs"] == 1
    assert "own_reference" in purposes()["judge"].options_in(project, {"strategy": "intent"}).model_fields
    assert "own_reference" not in purposes()["judge"].options_in(project, {"strategy": "reference"}).model_fields
