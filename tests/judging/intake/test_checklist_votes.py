"""People's verdicts on checklists, from files: the same as those that people type in here."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotate.models import Annotation, Batch, Item, Project
from judging.models import Answer, Ballot
from judging.ratings.consistency import consistency_rates
from judging.ratings.raters import of_people, ratings
from judging.ratings.units import CHECKLIST
from tests.support.files import command
from tests.support.judged import CORRECTION, MAINTENANCE, a_judge, answer_of, decided_item, verdict_on
from tests.support.people import make_member, make_project
from tests.support.studies import drawn, vote
from tests.support.voted import bring, counts

pytestmark = pytest.mark.django_db
FIRST, SECOND = (text for text, _weight in CORRECTION["checklist"])


@pytest.fixture
def project() -> Project:
    made = make_project(slug="bench")
    for number in range(2):
        item = decided_item(made, CORRECTION if number == 0 else MAINTENANCE)
        Item.objects.filter(pk=item.pk).update(key=f"fbbench-{number:04}")
        for author in ("model-a", "model-b"):
            answer_of(item, author)
    return made


def row(question: str = FIRST, verdict: Any = "yes", **changes: Any) -> dict[str, Any]:
    said = {"question": question, "verdict": verdict}
    return {"key": "fbbench-0000", "author": "model-a", "rater": "anna", **said} | changes


def taken(project: Project, folder: Path, *rows: Any) -> Any:
    return bring(project, folder, *rows, format="checklist_votes")


def said(project: Project) -> list[tuple[str, str, str, float | str | None]]:
    """(rater, author, number of the question, value), in that order."""
    authors = dict(Answer.objects.values_list("pk", "author__name"))
    found = of_people(project, CHECKLIST)
    return sorted((one.rater.name, authors[one.unit.answers[0]], one.axis, one.value) for one in found)


def test_rows_of_one_question_become_one_vote_on_the_answer(project: Project, tmp_path: Path) -> None:
    report = taken(
        project, tmp_path, row(), row(SECOND, "否", reason="Only one."), row(rater="bo", verdict="cannot_tell")
    )
    assert counts(report) == [3, 3, 0, 0]
    assert said(project) == [
        ("anna", "model-a", "1", 1.0), ("anna", "model-a", "2", 0.0), ("bo", "model-a", "1", None),
    ]  # fmt: skip
    stored = Annotation.objects.get(rater="anna")
    assert stored.draft == {"votes": ["yes", "no"], "reasons": ["", "Only one."], "recognised": False}
    item = Item.objects.get(project__slug="bench-votes")
    assert (item.state, item.project.kind_slug) == ("accepted", "checklist_vote")
    assert item.ballot.first.author.name == "model-a"
    assert "model-a" not in json.dumps([item.key, item.title])


def test_a_csv_and_verdicts_by_their_question_say_the_same(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f'key,author,rater,question,verdict\nfbbench-0000,model-a,anna,"{FIRST}",yes\n'
                    f"fbbench-0000,model-a,anna,2,no\n")  # fmt: skip
    code, told, _errors = command("import_judgements", "bench", str(path), "--format", "checklist_votes")
    assert (code, told["kept"], told["problems"]) == (0, 2, [])
    whole = {"key": "fbbench-0000", "author": "model-b", "rater": "anna", "verdicts": {FIRST: "是", SECOND: False}}
    assert counts(taken(project, tmp_path, whole)) == [2, 2, 0, 0]
    values = (("1", 1.0), ("2", 0.0))
    assert said(project) == [("anna", author, *value) for author in ("model-a", "model-b") for value in values]


def test_the_table_of_the_published_study_is_read(project: Project, tmp_path: Path) -> None:
    """Wide, a row for each sample; a judgement is a dictionary written as text."""
    query = Item.objects.get(key="fbbench-0000").facts["user_query"]
    judgement = {FIRST: {"评判结果": "是", "评判理由": "有"}, SECOND: {"评判结果": "否"}}
    path = tmp_path / "sample_human_agreement.csv"
    head = "user_query,model-a|human_judgement,model-a|human_score,model-b|human_judgement"
    path.write_text(f'{head}\n"{query}","{judgement!s}",0.6,"{judgement!s}"\n')
    code, told, _errors = command("import_judgements", "bench", str(path), "--format", "checklist_votes")
    assert (code, told["kept"], told["rejected"]) == (0, 4, 0)
    assert [one[:3] for one in said(project)] == [
        ("human", author, axis) for author in ("model-a", "model-b") for axis in ("1", "2")
    ]


def test_what_is_typed_in_here_and_what_a_file_says_are_the_same_ratings(project: Project, tmp_path: Path) -> None:
    study = drawn(project, "checklist_vote", authors=["model-a"], overlap=1, items=1)
    member = make_member(study.project)
    typed = vote(member, {"votes": ["yes", "no"], "reasons": ["", ""], "recognised": False})
    about = Ballot.objects.get(item=typed.item).first.item.key
    questions = typed.item.facts["questions"]
    taken(project, tmp_path, *(row(question, verdict, key=about)
                               for question, verdict in zip(questions, ("yes", "no"), strict=True)))  # fmt: skip
    by: dict[str, list[Any]] = {}
    for one in of_people(project, CHECKLIST):
        by.setdefault(one.rater.name, []).append((one.unit, one.value, one.axis, one.item))
    assert set(by) == {"anna", member.user.username}
    assert by["anna"] == by[member.user.username]


def test_they_stand_beside_judges_in_the_agreement_study(project: Project, tmp_path: Path) -> None:
    """The judge agrees in 3 of 4 verdicts: 1 of 2 on model-a, 2 of 2 on model-b."""
    judge = a_judge(project)
    for answer in Answer.objects.filter(item__key="fbbench-0000"):
        verdict_on(answer, judge, (1, 1))
    taken(project, tmp_path, row(), row(SECOND, "no"), row(author="model-b"), row(SECOND, author="model-b"))
    assert {(one.rater.sort, one.rater.name) for one in ratings(project, CHECKLIST)} == {
        ("person", "anna"), ("judge", "judge-m"),
    }  # fmt: skip
    told = command("report", "bench", "agreement")[1]
    [pair] = told["rows"]
    assert (pair["raters"], pair["units"]) == (["anna", "judge-m"], 4)
    [rate] = consistency_rates(project)
    shares = {author: alike.per_question for author, alike in rate.rate.authors.items()}
    assert (shares, rate.rate.per_question) == ({"model-a": 0.5, "model-b": 1.0}, 0.75)


def test_the_pages_of_the_study_show_them(project: Project, tmp_path: Path, client: Client) -> None:
    for answer in Answer.objects.filter(item__key="fbbench-0000"):
        verdict_on(answer, a_judge(project), (1, 1))
    taken(project, tmp_path, row(), row(SECOND, "no"))
    client.force_login(make_member(project, role="lead").user)
    page = client.get(f"/p/bench/agreement/?what={CHECKLIST}").content.decode()
    assert "anna" in page
    judge = f"j{a_judge(project).pk}"
    units = client.get(f"/p/bench/agreement/units/?what={CHECKLIST}&of=majority&rater={judge}").content.decode()
    assert "bench/items/" in units
    assert FIRST in units or "fbbench-0000" in units
    offered = client.get("/p/bench/judgements/import/").content.decode()
    assert "Human checklist verdicts" in offered


def test_again_makes_duplicates_further_questions_complete_and_what_is_here_stays(
    project: Project, tmp_path: Path
) -> None:
    assert counts(taken(project, tmp_path, row())) == [1, 1, 0, 0]
    report = taken(project, tmp_path, row(verdict="no"), row(SECOND, "no"))
    assert counts(report) == [2, 1, 1, 0]
    assert [one["message"] for one in report.problems if "another value" in one["message"]] == [
        "Already stored with another value: the vote of “anna”. The stored value was kept."
    ]
    assert [one[2:] for one in said(project)] == [("1", 1.0), ("2", 0.0)]
    assert counts(taken(project, tmp_path, row(), row(SECOND, "no"))) == [2, 0, 2, 0]
    assert Item.objects.filter(project__slug="bench-votes").count() == 1


def test_questions_without_a_verdict_are_told_and_left_out(project: Project, tmp_path: Path) -> None:
    report = taken(project, tmp_path, row())
    assert [(one["line"], one["level"]) for one in report.problems] == [(1, "warning")]
    assert report.problems[0]["message"].startswith("1 of 2 questions have no verdict of this rater")
    assert [one[2] for one in said(project)] == ["1"]


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"key": "nope"}, "key", "There is no item with the key “nope” in this project."),
        ({"author": "ghost"}, "author", "There is no answer by “ghost” to this item."),
        ({"question": "Is it?"}, "question", "is not a question of this item's checklist: “Is it?”."),
        ({"question": "3"}, "question", "is not a question of this item's checklist: “3”."),
        ({"verdict": "maybe"}, "verdict", "is “maybe”; allowed: yes, no, cannot_tell."),
        ({"verdict": 2}, "verdict", "is “2”; allowed: yes, no, cannot_tell."),
        ({"rater": " "}, "rater", "must be a one-line name"),
        ({"verdicts": []}, "verdicts", "must be an object such as"),
    ],
)
def test_a_bad_row_says_what_is_wrong_and_the_others_are_kept(
    project: Project, tmp_path: Path, changes: dict[str, Any], path: str, message: str
) -> None:
    report = taken(project, tmp_path, row(SECOND), row() | changes)
    assert counts(report) == [2, 1, 0, 1]
    bad = [one for one in report.problems if one["level"] == "error"]
    assert [(one["line"], one["path"]) for one in bad] == [(2, path)]
    assert bad[0]["message"].startswith(message)


def test_a_question_twice_counts_once_and_like_faults_are_one_entry(project: Project, tmp_path: Path) -> None:
    report = taken(project, tmp_path, row(), row(verdict="no"), *(row(key="nope", question=str(n)) for n in range(40)))
    assert counts(report) == [42, 1, 0, 41]
    entries = {one["path"]: one for one in report.problems if one["level"] == "error"}
    assert entries["question"]["message"].endswith("already has a verdict on this question of this answer in line 1.")
    assert entries["key"]["count"] == 40
    assert [one[2:] for one in said(project)] == [("1", 1.0)]


def test_an_answer_of_which_only_judgements_are_known_can_be_voted_on(project: Project, tmp_path: Path) -> None:
    Answer.objects.filter(author__name="model-a").update(text="", known=False)
    assert counts(taken(project, tmp_path, row())) == [1, 1, 0, 0]
    assert said(project) == [("anna", "model-a", "1", 1.0)]


def test_strict_keeps_nothing_where_anything_is_wrong(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text(json.dumps(row()) + "\n" + json.dumps(row(key="nope")) + "\n")
    code, told, _errors = command("import_judgements", "bench", str(path), "--format", "checklist_votes", "--strict")
    assert (code, told["kept"], told["rejected"]) == (1, 0, 2)
    assert not Annotation.objects.exclude(rater="").exists()
    assert not Batch.objects.filter(project__slug="bench-votes").exists()


def test_a_project_of_another_kind_at_the_address_of_the_votes_is_refused(project: Project, tmp_path: Path) -> None:
    make_project(slug="bench-votes", kind_slug="preference")
    path = tmp_path / "people.jsonl"
    path.write_text(json.dumps(row()) + "\n")
    code, _told, errors = command("import_judgements", "bench", str(path), "--format", "checklist_votes")
    assert code == 1
    assert "“bench-votes” is of kind preference." in errors


# --- rows of other shapes ---------------------------------------------------------------------------------------------
def test_an_item_is_named_by_its_place_in_the_published_data(project: Project, tmp_path: Path) -> None:
    rows = [{**row(number), "sample_index": index} for number, index in ((1, 0), (2, "0"))]
    for each in rows:
        del each["key"]
    assert counts(taken(project, tmp_path, *rows)) == [2, 2, 0, 0]
    assert {one[2] for one in said(project)} == {"1", "2"}


@pytest.mark.parametrize("index", [-1, "first", "٣", 10**9, None])
def test_a_place_that_is_no_number_from_0_is_refused(project: Project, tmp_path: Path, index: Any) -> None:
    wrong = {name: value for name, value in row().items() if name != "key"} | {"sample_index": index}
    report = taken(project, tmp_path, wrong)
    assert counts(report) == [1, 0, 0, 1]
    assert report.problems[0]["path"] == "sample_index"


@pytest.mark.parametrize("question", ["  ", True, ["Is it so?"], 1.5])
def test_a_question_that_is_no_text_and_no_number_is_refused(project: Project, tmp_path: Path, question: Any) -> None:
    report = taken(project, tmp_path, row(question))
    assert counts(report) == [1, 0, 0, 1]
    assert report.problems[0]["path"] == "question"


@pytest.mark.parametrize("verdicts", ["{not a literal", "[]", "{}", "{" * 200, 7])
def test_verdicts_that_are_no_object_are_refused(project: Project, tmp_path: Path, verdicts: Any) -> None:
    whole = {"key": "fbbench-0000", "author": "model-a", "rater": "anna", "verdicts": verdicts}
    report = taken(project, tmp_path, whole)
    assert counts(report)[1] == 0
    assert "must be an object such as" in report.problems[0]["message"]


def test_a_question_answered_by_its_text_and_its_number_counts_once(project: Project, tmp_path: Path) -> None:
    report = taken(project, tmp_path, row(), row(1, "no"))
    assert counts(report) == [2, 1, 0, 1]
    assert any("already answered by another verdict of the same rater" in one["message"] for one in report.problems)
    assert said(project) == [("anna", "model-a", "1", 1.0)]


def test_votes_on_a_checklist_that_has_changed_are_kept_and_get_no_more(project: Project, tmp_path: Path) -> None:
    taken(project, tmp_path, row())
    item = Item.objects.select_related("base").get(key="fbbench-0000", project=project)
    assert item.base is not None
    item.base.draft["checklist"][0][0] = "Is it another question?"
    item.base.save(update_fields=["draft"])
    report = taken(project, tmp_path, row("Is it another question?", rater="bo"))
    assert counts(report) == [1, 0, 0, 1]
    assert "The checklist has changed since people voted" in report.problems[0]["message"]
    assert {one[0] for one in said(project)} == {"anna"}


def test_a_file_without_a_fitting_verdict_makes_no_project_of_votes(project: Project, tmp_path: Path) -> None:
    assert counts(taken(project, tmp_path, row("Is it blue?"))) == [1, 0, 0, 1]
    assert not Project.objects.filter(slug="bench-votes").exists()
