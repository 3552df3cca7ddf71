"""Tasks of Label Studio with answers to own questions: written, read again, and read from what others wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.registry import find_format
from annotate.formats.rows import ImportRow, ObservedValues, Out, Problem
from annotate.kinds.questions.definition import read_definition

DEFINITION = read_definition("""
show:
  - {field: source, as: text}
  - {field: "target, new", as: text, optional: true}
  - {field: log, as: chat, optional: true}
questions:
  - {name: grade, type: rating, scale: {"0": bad, "2": good}}
  - {name: stars, type: rating, scale: {"1": null, "5": null}}
  - {name: safe, type: choice, options: ["yes", {value: "no", text: "No!"}]}
  - {name: topics, type: choices, options: [news, 代码, health]}
  - {name: better, type: pair, of: [source, "target, new"]}
  - {name: order, type: ranking, of: ["target, new", source]}
  - {name: fixed, type: text, start: source}
  - {name: price, type: number}
  - name: errors
    type: spans
    on: [source, "target, new"]
    labels: {Accuracy: [Wrong], Style: []}
    attributes: {severity: [Minor, Major], sure: ["yes", "no"]}
  - {name: names, type: spans, on: [source], labels: [Person, Place]}
  - {name: steps, type: step, of: log}
""")
SOURCE, TARGET = "我们 👩‍👩‍👧 爱 🙂🙂 e\u0301té", "We 🙂 love\r\nit"
FACTS = {"source": SOURCE, "target, new": TARGET, "log": [{"role": "user", "content": "Hi"}]}


def span(field: str, words: str, label: str, **more: str) -> dict[str, Any]:
    start = str(FACTS[field]).index(words)
    return {"field": field, "start": start, "end": start + len(words), "text": words, "label": label, **more}


ANSWERS: dict[str, Any] = {
    "grade": 0,
    "stars": 4,
    "safe": "no",
    "topics": ["代码"],
    "better": "second",
    "order": [2, 1],
    "fixed": "Zwei\nZeilen 🙂",
    "price": -0.5,
    "errors": [
        span("source", "👩‍👩‍👧", "Style", severity="Major", sure="no", note="ein Zeichen"),
        span("source", "🙂 e\u0301", "Accuracy/Wrong", severity="Minor", sure="yes"),
        span("target, new", "love\r\n", "Style", severity="Minor", sure="yes"),
    ],
    "names": [span("source", "我们", "Person"), span("source", "们 👩‍👩‍👧 爱", "Place")],
    "steps": "none",
}
LS = find_format("label_studio").for_definition(DEFINITION)


def written(**draft: Any) -> list[dict[str, Any]]:
    outs = [Out("k-1", FACTS, draft, dict.fromkeys(draft, "choice"), is_final=True)]
    tasks: list[dict[str, Any]] = json.loads(b"".join(LS.written(outs, [])))
    return tasks


def read(folder: Path, tasks: Any, *, ratings: bool = False) -> list[ImportRow | Problem]:
    (folder / "tasks.json").write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
    return list(LS.read(folder / "tasks.json", ratings=ratings))


def only(folder: Path, task: Any, *, ratings: bool = False) -> ImportRow:
    [row] = read(folder, [task], ratings=ratings)
    assert isinstance(row, ImportRow), row
    return row


def in_order(draft: dict[str, Any]) -> dict[str, Any]:
    return {name: DEFINITION.by_name[name].in_order(answer) for name, answer in draft.items()}


def task(*results: Any, **more: Any) -> dict[str, Any]:
    return {"id": 7, "data": {"source": SOURCE}, "annotations": [{"result": list(results)} | more]}


def region(start: int, end: int, **value: Any) -> dict[str, Any]:
    return {"id": "r1", "from_name": "names", "to_name": "any", "type": "labels"} | {
        "value": {"start": start, "end": end, "labels": ["Person"], **value}
    }


@pytest.mark.parametrize("name", list(ANSWERS))
def test_an_answer_comes_back_equal(name: str, tmp_path: Path) -> None:
    row = only(tmp_path, written(**{name: ANSWERS[name]})[0])
    assert not row.warnings
    assert in_order({name: row.value[name]}) == {name: ANSWERS[name]}


def test_all_answers_of_an_annotation_and_its_columns_come_back_equal(tmp_path: Path) -> None:
    row = only(tmp_path, written(**ANSWERS)[0])
    draft = {name: value for name, value in row.value.items() if name in ANSWERS}
    assert in_order(draft) == ANSWERS
    assert {name: row.value[name] for name in FACTS} == FACTS


@pytest.mark.parametrize("answer", ["first", "second", "tie", "both_bad", "cannot_tell"])
def test_every_answer_of_a_pair_comes_back(answer: str, tmp_path: Path) -> None:
    assert only(tmp_path, written(better=answer)[0]).value["better"] == answer


def test_no_span_is_an_answer_and_nothing_said_is_none(tmp_path: Path) -> None:
    row = only(tmp_path, written(errors=[], grade=0)[0])
    assert row.value["errors"] == []
    assert "names" not in row.value


def test_marks_count_code_points_as_label_studio_does() -> None:
    [mark] = [result for result in written(**ANSWERS)[0]["annotations"][0]["result"] if result["from_name"] == "names"][
        :1
    ]
    assert mark["value"] == {"start": 0, "end": 2, "text": "我们", "labels": ["Person"]}
    ends = {
        result["value"]["end"]
        for result in written(**ANSWERS)[0]["annotations"][0]["result"]
        if "end" in result["value"]
    }
    assert max(ends) <= len(SOURCE)


def test_what_a_row_lacks_is_empty_in_its_task_and_missing_again(tmp_path: Path) -> None:
    outs = [Out("k", {"source": "x"}, {}, {})]
    [given] = json.loads(b"".join(LS.written(outs, [])))
    assert given["data"]["log"] == given["data"]["target, new"] == ""
    assert only(tmp_path, given).value == {"key": "k", "source": "x"}


def test_suggestions_are_predictions(tmp_path: Path) -> None:
    outs = [Out("k", FACTS, {"names": ANSWERS["names"]}, {}, model="m-1")]
    [given] = json.loads(b"".join(LS.written(outs, [])))
    assert given["annotations"] == []
    assert given["predictions"][0]["model_version"] == "m-1"
    assert only(tmp_path, given).value["suggestion"] == {"names": ANSWERS["names"], "model": "m-1"}


# --- what other people's files have -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "value",
    [
        region(11, 13, text="🙂🙂"),  # code points
        region(14, 18, text="🙂🙂"),  # UTF-16 units, as versions of before 2021 counted them
        region(11, 13),
    ],
)
def test_marks_lie_where_their_words_are(value: dict[str, Any], tmp_path: Path) -> None:
    assert SOURCE[11:13] == "🙂🙂"
    assert only(tmp_path, task(value)).value["names"] == [span("source", "🙂🙂", "Person")]


def test_marks_whose_words_are_not_there_stay_for_the_check_to_refuse(tmp_path: Path) -> None:
    [mark] = only(tmp_path, task(region(0, 2, text="nowhere"))).value["names"]
    assert (mark["start"], mark["end"], mark["text"]) == (0, 2, "nowhere")


def test_names_of_other_configurations_are_found(tmp_path: Path) -> None:
    results = [
        region(0, 2, text="我们") | {"from_name": "errors"},
        {"id": "r1", "from_name": "severity", "type": "choices", "value": {"choices": ["Minor"]}},
        {"id": "r1", "from_name": "why?", "type": "textarea", "value": {"text": ["So."]}},
        {"from_name": "topics", "type": "taxonomy", "value": {"taxonomy": [["a", "b"], ["c"]]}},
    ]
    row = only(tmp_path, task(*results))
    assert row.value["key"] == "7"
    assert row.value["errors"] == [span("source", "我们", "Person", severity="Minor", note="So.")]
    assert row.value["topics"] == ["a/b", "c"]


def test_a_left_text_that_is_our_second_one_is_the_second(tmp_path: Path) -> None:
    result = {"from_name": "better", "to_name": "column2,source", "type": "pairwise", "value": {"selected": "left"}}
    assert only(tmp_path, task(result)).value["better"] == "second"


def test_relations_and_unknown_results_are_named(tmp_path: Path) -> None:
    results = [
        {"type": "relation", "from_id": "a", "to_id": "b"},
        {"from_name": "box", "type": "rectanglelabels", "value": {"x": 1}},
        {"id": "r1", "from_name": "length", "type": "number", "value": {"number": 1}},
        region(0, 1) | {"value": {"start": 0, "end": 1, "labels": ["Person", "Place"]}},
    ]
    row = only(tmp_path, task(*results))
    assert [path for path, _message in row.warnings] == [f"annotations[0].result[{n}]" for n in (0, 1, 3, 2)]


@pytest.mark.parametrize(
    "result",
    [
        {"from_name": "stars", "type": "rating", "value": {"rating": "many"}},
        {"from_name": "stars", "type": "rating", "value": {"rating": True}},
        {"from_name": "stars", "type": "rating", "value": {}},
        {"from_name": "topics", "type": "choices", "value": {"choices": [[1]]}},
        {"from_name": "safe", "type": "choices", "value": {"choices": []}},
        {"from_name": "better", "type": "pairwise", "value": {"selected": "up"}},
        {"from_name": "order__1", "type": "number", "value": {"number": 1.5}},
        {"from_name": "names", "type": "labels", "value": {"start": 0, "end": 1, "labels": 7}},
        {"from_name": "fixed", "type": "textarea", "value": {"text": [1]}},
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_path(result: dict[str, Any], tmp_path: Path) -> None:
    bad, good = read(tmp_path, [task(result), task()])
    assert isinstance(bad, Problem)
    assert bad.path == "annotations[0].result[0].value"
    assert isinstance(good, ImportRow)


@pytest.mark.parametrize("start", ["0", None, -1, 10**9, 2.5])
def test_offsets_that_are_none_are_left_to_the_check(start: Any, tmp_path: Path) -> None:
    assert only(tmp_path, task(region(start, 2, text="我们"))).value["names"][0]["start"] == start


# --- ratings ----------------------------------------------------------------------------------------------------------
def test_every_annotation_is_a_rating_of_its_author(tmp_path: Path) -> None:
    stars = {"from_name": "stars", "type": "rating", "value": {"rating": 3}}
    given = task(stars, completed_by={"id": 4, "email": "ana@example.org"})
    given["annotations"] += [
        {"result": [stars], "completed_by": 5},
        {"result": [stars], "was_cancelled": True},
        {"result": []},
        {"result": [stars]},
    ]
    given["predictions"] = [{"result": [stars], "model_version": "m"}]
    rows = read(tmp_path, [given], ratings=True)
    assert all(isinstance(row, ImportRow) for row in rows)
    assert [row.value["rater"] for row in rows if isinstance(row, ImportRow)] == ["ana@example.org", "5", "annotator"]
    assert [row.value for row in rows if isinstance(row, ImportRow)][1] == {
        "key": "7",
        "source": SOURCE,
        "rater": "5",
        "stars": 3,
    }
    assert isinstance(rows[0], ImportRow)
    assert [path for path, _message in rows[0].warnings] == ["predictions[0]"]


def test_a_task_without_ratings_says_only_what_it_leaves_out(tmp_path: Path) -> None:
    [problem] = read(tmp_path, [task() | {"predictions": [{"result": []}]}], ratings=True)
    assert isinstance(problem, Problem)
    assert problem.level == "warning"


def test_the_configuration_beside_has_a_text_for_what_has_no_counterpart() -> None:
    config = LS.beside(ObservedValues()).decode()
    assert '<Choices name="grade"' in config
    assert '<TextArea name="steps__json"' in config


# --- turns ------------------------------------------------------------------------------------------------------------
ABOUT_TURNS = find_format("label_studio").for_definition(
    read_definition("""
show: [{field: log, as: chat}]
questions:
  - {name: steps, type: choice, options: [right, wrong], on_each: turns, of: log, required: false}
  - {name: grade, type: rating, scale: {"1": null, "3": null}, on_each: turns, of: log, required: false}
""")
)
LOG = [{"role": role, "content": role} for role in ("user", "assistant", "user", "assistant")]


def test_answers_about_turns_are_a_result_each_and_come_back(tmp_path: Path) -> None:
    answers = {
        "steps": [{"turn": 1, "value": "right"}, {"turn": 3, "value": "wrong"}],
        "grade": [{"turn": 3, "value": 2}],
    }
    outs = [Out("k", {"log": LOG}, answers, {}, is_final=True)]
    (task,) = json.loads(b"".join(ABOUT_TURNS.written(outs, [])))
    names = [(result["from_name"], result["to_name"]) for result in task["annotations"][0]["result"]]
    assert names == [
        (f"{name}__turn_{n}", f"{name}__text_{n}") for name, n in (("steps", 1), ("steps", 3), ("grade", 3))
    ]
    (tmp_path / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    (row,) = ABOUT_TURNS.read(tmp_path / "tasks.json")
    assert isinstance(row, ImportRow)
    assert (row.value, list(row.warnings)) == ({"key": "k", "log": LOG, **answers}, [])


def test_a_turn_that_is_not_asked_about_is_named(tmp_path: Path) -> None:
    results = [
        {"from_name": name, "to_name": "x", "type": "choices", "value": {"choices": ["right"]}}
        for name in ("steps_0", "steps_1", "steps")
    ]
    task = {"id": 1, "data": {"log": LOG}, "annotations": [{"completed_by": 5, "result": results}]}
    (tmp_path / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
    (row,) = ABOUT_TURNS.read(tmp_path / "tasks.json", ratings=True)
    assert isinstance(row, ImportRow)
    assert row.value["steps"] == [{"turn": 1, "value": "right"}]
    assert [path for path, _message in row.warnings] == ["annotations[0].result[0]", "annotations[0].result[2]"]
