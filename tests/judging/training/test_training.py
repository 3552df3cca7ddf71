"""What a judge is trained with: rows of accepted trees and of judges, each once, no query in two splits."""

import json
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.models import Call, Erasure, Job, Participant, Project, Run, Survey, Withdrawal
from annotate.releases.actions import ReleaseFilters
from judging.training.chats import AGREEING, ALL, NONE, PAIRS, SHARES, STEPS, TrainingChoice, query_id
from judging.training.training_files import command as made_by
from judging.training.training_files import count_rows, packed, rows
from lib.texts.fencing import fenced
from tests.support.files import command
from tests.support.judged import answer_of
from tests.support.training import accepted_tree, an_endpoint, judged_tree, tree_project
from tests.support.trees import DRAFT, PAIR, SINGLE, branch, tree

pytestmark = pytest.mark.django_db


def found(project: Project, **chosen: Any) -> dict[str, list[dict[str, Any]]]:
    """file -> rows."""
    told: dict[str, list[dict[str, Any]]] = {}
    for file, row in rows(project, TrainingChoice(**chosen)):
        told.setdefault(file, []).append(row)
    return told


def answer(row: dict[str, Any]) -> Any:
    return json.loads(row["messages"][-1]["content"])


def test_an_accepted_tree_gives_every_step_and_comparisons_in_both_orders() -> None:
    project = tree_project()
    accepted_tree(project, "a")
    told = found(project)
    # Two criteria: one list, two guidelines, two comparisons in two orders, one correction.
    assert {step: len(told.get(step, [])) for step in STEPS} == {
        "criteria": 1,
        "guidelines": 2,
        "judgements": 4,
        "corrections": 1,
        "reverse_criteria": 0,
        "reverse_guidelines": 0,
        "reverse_judgements": 0,
    }
    straight, swapped = told["judgements"][:2]
    assert answer(straight) == answer(swapped), "the responses keep their names"
    assert answer(straight)["score_second"] == 5
    shown = [row["messages"][1]["content"] for row in (straight, swapped)]
    first, second = PAIR["first"], PAIR["second"]
    assert [text.index(first) < text.index(second) for text in shown] == [True, False]
    assert answer(told["corrections"][0]) == {"corrected_response": DRAFT["correction_first"]}
    assert "Name 1" in told["corrections"][0]["messages"][1]["content"]
    assert "Name 2" not in told["corrections"][0]["messages"][1]["content"], "no ground of the correction"


def test_criteria_and_guidelines_see_no_response() -> None:
    project = tree_project()
    accepted_tree(project, "a")
    told = found(project)
    for row in told["criteria"] + told["guidelines"]:
        assert PAIR["query"] in row["messages"][1]["content"]
        assert PAIR["second"] not in row["messages"][1]["content"]


def test_one_response_is_scored_alone_and_chinese_is_asked_in_chinese() -> None:
    project = tree_project()
    facts = SINGLE | {"query": "蜘蛛有几条腿？"}
    accepted_tree(project, "a", facts, tree(branch(1, 2)), language="zh-hans")
    (row,) = found(project)["judgements"]
    assert answer(row) == {"explanation": "Why the first.", "score": 2}
    assert "本请求中的材料" in row["messages"][0]["content"]
    assert "请按一条标准评判一个回答" in row["messages"][1]["content"]


def test_pairs_are_corrections_and_what_the_sums_prefer() -> None:
    project = tree_project()
    accepted_tree(project, "a")
    correction, scores = found(project)[PAIRS]
    assert (correction["chosen"], correction["rejected"]) == (DRAFT["correction_first"], PAIR["first"])
    assert (scores["chosen"], scores["rejected"], scores["sort"]) == (PAIR["second"], PAIR["first"], "scores")
    assert list(correction) == list(scores)


def test_sums_against_the_label_of_people_prefer_nothing() -> None:
    project = tree_project()
    accepted_tree(project, "a", PAIR | {"human_label": "first"})
    left_out: Counter[str] = Counter()
    sorts = [row["sort"] for file, row in rows(project, TrainingChoice(), left_out) if file == PAIRS]
    assert sorts == ["correction"]
    assert left_out["sums against people's label"] == 1


def test_where_nobody_gave_scores_the_label_of_people_prefers() -> None:
    project = tree_project()
    accepted_tree(project, "a", PAIR | {"human_label": "first"}, tree(branch(1, None, None)))
    accepted_tree(project, "b", PAIR | {"query": "Which?", "human_label": "tie"}, tree(branch(1, None, None)))
    (label,) = (row for row in found(project)[PAIRS] if row["sort"] != "correction")
    assert (label["sort"], label["chosen"], label["rejected"]) == ("label", PAIR["first"], PAIR["second"])


def test_the_command_in_the_manifest_is_one_that_a_shell_takes() -> None:
    project = tree_project()
    told = made_by(project, TrainingChoice(ReleaseFilters(groups=["it's $HOME"])), licence="CC BY 4.0")
    words = shlex.split(told)
    assert words[words.index("--group") + 1] == "it's $HOME"
    assert words[-2:] == ["--licence", "CC BY 4.0"]


def test_what_is_not_finished_is_counted_and_left_out() -> None:
    project = tree_project()
    unfinished = branch(2, 3, 4) | {"description": " "}
    accepted_tree(project, "a", PAIR, tree(branch(1, 2, None), unfinished))
    counts = count_rows(project, TrainingChoice())
    assert counts.of("guidelines")["together"] == 1
    assert counts.of("judgements")["together"] == 0
    assert counts.as_json()["left_out"] == {"score missing": 1, "unfinished criterion": 1}


def test_a_judge_that_stays_with_its_verdict_teaches_in_both_orders() -> None:
    project = tree_project()
    judged_tree(accepted_tree(project, "a", draft=tree(branch(1, 2, 5))))
    told = found(project)
    by_judge = {step: [row for row in told[step] if row["source"] == "judge-x"] for step in ("criteria", "judgements")}
    assert len(by_judge["criteria"]) == 1, "the other order said the same"
    # Two criteria in two orders; what the judge said of the first it said of the one on top.
    assert len(by_judge["judgements"]) == 4
    tops = [row["messages"][1]["content"].index(PAIR["first"]) for row in by_judge["judgements"]]
    others = [row["messages"][1]["content"].index(PAIR["second"]) for row in by_judge["judgements"]]
    assert [top < other for top, other in zip(tops, others, strict=True)] == [True, True, False, False]
    assert [(row["sort"], row["source"]) for row in told[PAIRS]] == [("scores", "people")], "the verdict's is the same"


def test_labels_that_a_judge_kept_stay_with_their_answers() -> None:
    project = tree_project()
    judged_tree(accepted_tree(project, "a", draft=tree(branch(1, 2, 5))), variant="n=2 labels=kept scale=2-10")
    told = [row for row in found(project)["judgements"] if row["source"] == "judge-x"]
    shown = [row["messages"][1]["content"] for row in told]
    assert [text.index(PAIR["first"]) < text.index(PAIR["second"]) for text in shown] == [True, True, False, False]
    assert all(text.index('name="answer"') < text.index(PAIR["first"]) for text in shown)
    assert all(PAIR["first"] in text[text.index('name="answer"') :][:60] for text in shown)


def test_a_judge_that_went_by_approved_criteria_teaches_judgements_alone() -> None:
    project = tree_project()
    item = accepted_tree(project, "a")
    judged_tree(item, variant="n=2 criteria=recovered scale=2-10")
    by_judge = Counter(row["step"] for of_it in found(project).values() for row in of_it if row["source"] == "judge-x")
    assert by_judge["judgements"] == 4
    assert not by_judge["criteria"] + by_judge["guidelines"]
    assert item.base is not None
    item.base.draft["branches"][0]["guideline"]["levels"][0] = "another"
    item.base.save()
    again = found(project)["judgements"]
    assert Counter(row["source"] for row in again)["judge-x"] == 4, "each as the judge was asked"
    assert not any("another" in row["messages"][1]["content"] for row in again if row["source"] == "judge-x")


@pytest.mark.parametrize(
    ("judges", "choices", "label", "why"),
    [
        ("consistent", ("second", "first"), None, "orders disagree"),
        (ALL, ("second", "first"), None, ""),
        (AGREEING, ("second", "second"), "first", "against people's label"),
        (AGREEING, ("second", "second"), "second", ""),
        (AGREEING, ("second", "second"), None, ""),
        (NONE, ("second", "second"), None, "none"),
    ],
)
def test_verdicts_are_filtered(judges: str, choices: tuple[str, str], label: str | None, why: str) -> None:
    project = tree_project()
    facts = {name: value for name, value in PAIR.items() if name != "human_label"}
    item = accepted_tree(project, "a", facts | ({"human_label": label} if label else {}))
    judged_tree(item, choices)
    left_out: Counter[str] = Counter()
    sources = {row["source"] for _file, row in rows(project, TrainingChoice(judges=judges), left_out)}
    assert ("judge-x" in sources) == (not why)
    assert left_out[why] == (1 if why not in ("", "none") else 0)


ORIGINAL = {"style": "scores", "score_first": 4, "score_second": 9, "lowest": 1, "highest": 10, "text": "B knows."}


def test_approved_criteria_of_a_foreign_judgement_teach_the_way_back() -> None:
    project = tree_project()
    facts = PAIR | {"original": ORIGINAL}
    accepted_tree(project, "a", facts, tree(branch(1, None, None), branch(2, None, None)))
    told = found(project)
    assert {step: len(of_it) for step, of_it in told.items()} == {
        "reverse_criteria": 1,
        "reverse_guidelines": 2,
        "reverse_judgements": 2,
        PAIRS: 1,
    }
    assert told[PAIRS][0]["sort"] == "label"
    for row in told["reverse_criteria"] + told["reverse_guidelines"]:
        assert "First response: 4, Second response: 9 (from 1 to 10)" in row["messages"][1]["content"]
    straight, swapped = told["reverse_judgements"]
    assert straight["messages"][-1]["content"].startswith("First response: 4, Second response: 9")
    assert straight["messages"][-1] == swapped["messages"][-1]
    assert "a score for each response, from 1 to 10" in straight["messages"][1]["content"]
    assert "2: score 5" in straight["messages"][1]["content"]


@pytest.mark.parametrize(
    ("change", "why"), [({"verdict": "first", "swapped": "second"}, "orders"), ({"reference": "Eight."}, "reference")]
)
def test_what_was_set_aside_has_no_way_back(change: dict[str, Any], why: str) -> None:
    project = tree_project()
    accepted_tree(project, "a", PAIR | {"original": ORIGINAL | change}, tree(branch(1, None, None)))
    counts = count_rows(project, TrainingChoice())
    assert counts.as_json()["bridged"]["together"] == 0
    assert counts.left_out[f"set aside: {why}"] == 1


def test_what_a_model_corrected_stands_beside_what_it_was_made_of() -> None:
    project = tree_project()
    item = accepted_tree(project, "a", SINGLE, tree(branch(1, 4)))
    answer_of(item, "model-c", text="Ten.")
    answer_of(item, "model-c+correction", text="Eight.")
    answer_of(item, "model-d+correction", text="Of nothing.")
    (row,) = found(project)[PAIRS]
    assert (row["chosen"], row["rejected"], row["sort"]) == ("Eight.", "Ten.", "correction")
    assert PAIRS not in found(project, judges=NONE)


def test_what_a_run_corrected_teaches_by_the_judgements_that_it_was_given() -> None:
    project = tree_project()
    item = accepted_tree(project, "a", SINGLE, tree(branch(1, 4)))
    answer_of(item, "model-c", text="Ten.")
    run = Run.objects.create(project=project, purpose="correct", endpoint=an_endpoint(), state="finished")
    job = Job.objects.create(run=run, subject="s", item=item, state="done")
    texts = {"answer": "Ten.", "judgements": "- Count: 1/5. Two too many."}
    messages = fenced("Put right {{ answer }} by {{ judgements }}", texts).messages()
    told = {"job": job, "step": "correction", "attempt": 1, "digest": "d", "request": {"messages": messages}}
    Call.objects.create(**told, cause="", reply="{}")
    answer_of(item, "model-c+correction", text="Eight.", job=job)
    (row,) = found(project)["corrections"]
    assert answer(row) == {"corrected_response": "Eight."}
    assert texts["judgements"] in row["messages"][1]["content"]
    assert row["source"] == "model"


def test_outdated_verdicts_teach_nothing() -> None:
    project = tree_project()
    item = accepted_tree(project, "a")
    judged_tree(item)
    item.facts = PAIR | {"query": "How many legs has an ant?"}
    item.save(update_fields=["facts"])
    left_out: Counter[str] = Counter()
    assert {row["source"] for _file, row in rows(project, TrainingChoice(), left_out)} == {"people"}
    assert left_out["outdated verdict"] == 1


def test_only_what_was_asked_for_is_in_it_and_never_what_was_withdrawn() -> None:
    project = tree_project()
    accepted_tree(project, "a", PAIR | {"query": "First?"})
    accepted_tree(project, "b", PAIR | {"query": "Second?"}, state="review")
    gone = accepted_tree(project, "c", PAIR | {"query": "Third?"})
    person = Participant.objects.create(survey=Survey.objects.create(project=project), language="en")
    Erasure.objects.create(withdrawal=Withdrawal.objects.create(participant=person), item=gone)
    assert {row["key"] for row in found(project)["criteria"]} == {"a"}
    either = ReleaseFilters("any", splits=dict(SHARES))
    assert {row["key"] for row in found(project, filters=either)["criteria"]} == {"a", "b"}


def test_equal_rows_are_said_once_and_rows_about_one_query_share_their_split() -> None:
    project = tree_project()
    for number in range(40):
        accepted_tree(project, f"a{number}", PAIR | {"query": f"Question {number // 2}?  {' ' * number}"})
    told = found(project)
    splits: dict[str, set[str]] = {}
    for row in (row for each in told.values() for row in each):
        splits.setdefault(row["query"], set()).add(row["split"])
    assert len(splits) == 20
    assert all(len(each) == 1 for each in splits.values())
    assert len(set.union(*splits.values())) > 1
    assert query_id("a  b") == query_id("a b")


# --- the folder ------------------------------------------------------------------------------------------------------
def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_the_folder_loads_and_its_counts_are_those_of_the_report(tmp_path: Path) -> None:
    project = tree_project()
    for number in range(12):
        judged_tree(accepted_tree(project, f"a{number}", PAIR | {"query": f"Question {number}?"}))
    code, told, _err = command("export_training", project.slug, "--out", tmp_path / "set")
    assert code == 0
    loaded = {path.stem: read(path) for path in (tmp_path / "set").glob("*.jsonl")}
    assert set(loaded) == {*STEPS, PAIRS}
    report = command("report", project.slug, "training")[1]
    assert report["steps"] == told["counts"]["steps"]
    splits: dict[str, str] = {}
    for step, rows_of_it in loaded.items():
        counts = report["preferences"] if step == PAIRS else report["steps"][step]
        assert dict(Counter(row["split"] for row in rows_of_it)) == {
            split: count for split, count in counts.items() if count and split != "together"
        }
        for row in rows_of_it:
            assert splits.setdefault(row["query"], row["split"]) == row["split"]
            if step != PAIRS:
                assert [turn["role"] for turn in row["messages"]] == ["system", "user", "assistant"]
                assert all(turn["content"].strip() for turn in row["messages"])
    assert command("verify", tmp_path / "set")[1]["ok"]
    assert command("verify", tmp_path / "set" / "criteria.jsonl")[1]["ok"]
    again = tmp_path / "again"
    command("export_training", project.slug, "--out", again)
    for path in (tmp_path / "set").glob("*.jsonl"):
        assert (again / path.name).read_bytes() == path.read_bytes()
    card = (tmp_path / "set" / "README.md").read_text()
    assert told["files"][0]["sha256"] in card
    assert f"export_training {project.slug}" in card


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"messages": []}, "take turns"),
        ({"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}, "take turns"),
        ({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": " "}]}, "is empty"),
        ({"split": "elsewhere"}, "is also in the split"),
        ({}, "SHA-256"),
    ],
)
def test_verify_names_what_is_wrong(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    project = tree_project()
    accepted_tree(project, "a")
    command("export_training", project.slug, "--out", tmp_path)
    path = tmp_path / "guidelines.jsonl"
    one, other = read(path)
    path.write_text(f"{json.dumps(one)}\n{json.dumps(other | change)} \n")
    code, told, err = command("verify", tmp_path)
    assert (code, told["ok"]) == (1, False)
    assert "guidelines.jsonl" in err
    assert said in err


def test_a_project_of_any_kind_has_a_report_of_zeros() -> None:
    project = tree_project(kind_slug="score_vote")
    told = command("report", project.slug, "training")[1]
    assert set(told["steps"]) == set(STEPS)
    assert told["steps"]["criteria"] == {"train": 0, "validation": 0, "test": 0, "together": 0}
    assert told["preferences"]["together"] == 0


def test_shares_that_are_none_are_usage_and_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    project = tree_project()
    assert command("export_training", project.slug, "--out", tmp_path, "--split", "train=0.5")[0] == 2
    (tmp_path / "file").write_text("")
    code, _told, err = command("export_training", project.slug, "--out", tmp_path / "file")
    assert code == 1
    assert "Name a writable folder" in err


def test_seeds_and_shares_are_as_asked(tmp_path: Path) -> None:
    project = tree_project()
    accepted_tree(project, "a")
    told = command("export_training", project.slug, "--out", tmp_path, "--split", "all=1", "--seed", "7")[1]
    assert told["splits"] == {"shares": {"all": 1.0}, "seed": 7}
    assert told["counts"]["steps"]["guidelines"] == {"all": 2, "together": 2}
    assert timezone.now().isoformat()[:10] in (tmp_path / "manifest.json").read_text()


# --- whatever people wrote -------------------------------------------------------------------------------------------
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
SCORE = st.none() | st.integers(0, 6)


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Facts and draft in their shape, finished or not."""
    facts = {"query": draw(TEXT.filter(bool)), "first": draw(TEXT)}
    facts |= draw(st.fixed_dictionaries({}, optional={"second": TEXT, "human_label": st.just("first")}))
    branches = []
    for no in range(draw(st.integers(0, 3))):
        one = branch(no, draw(SCORE), draw(SCORE), name=draw(TEXT), description=draw(TEXT))
        one["guideline"]["levels"] = draw(st.lists(TEXT, min_size=4, max_size=5))
        branches.append(one)
    return facts, tree(*branches, correction_first=draw(TEXT), grounds_first=draw(st.sampled_from([[], ["j0"]])))


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(given=st.lists(trees(), max_size=6))
def test_whatever_was_written_every_row_can_be_trained_with(given: list[Any], tmp_path: Path) -> None:
    project = tree_project()
    for number, (facts, draft) in enumerate(given):
        accepted_tree(project, f"a{number}", facts, draft)
    command("export_training", project.slug, "--out", tmp_path)
    code, told, err = command("verify", tmp_path)
    assert code == 0, err
    counts = count_rows(project, TrainingChoice())
    assert told["rows"] == counts.sum_of([*STEPS, PAIRS])["together"]


def test_the_first_bytes_of_the_zip_wait_for_no_row(django_assert_num_queries: Any) -> None:
    project = tree_project()
    with django_assert_num_queries(0):
        assert next(packed(project, TrainingChoice())).startswith(b"PK")
