"""Answers of other services, such as a search engine, are judged and ranked beside those of models."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from judging.answers.cases import case_of
from judging.models import Author
from tests.support.judged import answer_of
from tests.support.use_cases import decided_case, intent_judge, scored, use_case_project

pytestmark = pytest.mark.django_db


def test_answers_of_a_search_engine_are_an_author_with_its_sort(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = use_case_project(slug="urs")
    judge, item, path = intent_judge(project), decided_case(project, "Factual_QA"), tmp_path / "found.jsonl"
    scored(item, "model-a", judge, 8.0)
    row = {"key": item.key, "author": "engine-s", "text": "First hit.", "sort": "search", "provider": "Engine"}
    path.write_text(json.dumps(row))
    call_command("import_answers", "urs", str(path), "--json")
    assert json.loads(capsys.readouterr().out)["kept"] == 1
    author = Author.objects.get(project=project, name="engine-s")
    assert (author.sort, author.get_sort_display()) == ("search", "Search engine or other service")
    case, answer = case_of(item), item.answers.get(author=author)
    assert case is not None
    judge.verdicts.create(item=item, first=answer, case_sha=case.judged.sha256, score_first=5.0)
    call_command("report", "urs", "intents", "--json")
    rows = json.loads(capsys.readouterr().out)["rows"]
    means = {row["author"]: row["mean"] for row in rows if (row["intent"], row["language"]) == ("all", "all")}
    assert means == {"engine-s": 5.0, "model-a": 8.0}


def test_a_sort_that_is_none_is_refused_at_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project, path = use_case_project(slug="urs"), tmp_path / "found.jsonl"
    item = decided_case(project)
    answer_of(item, "model-a")
    path.write_text(json.dumps({"key": item.key, "author": "engine-s", "text": "Hit.", "sort": "oracle"}))
    with pytest.raises(CommandError):
        call_command("import_answers", "urs", str(path), "--json")
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["line"], problem["path"]) == (1, "sort")
