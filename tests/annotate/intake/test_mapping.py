"""Columns of a file under other names: by path, as constants, guessed, remembered; and what is left is metadata."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.definitions.templates import all_templates
from annotate.intake.mapping import columns_of, fields_of, guessed, mapped, read_pairs
from annotate.kinds import find_kind
from annotate.models import Batch, Item, Project
from annotate.project.actions import create_project
from tests.support.files import command, imported, messages, write_rows
from tests.support.people import make_member

KNOWN = frozenset({"key", "prompt", "answer"})
HEADER = "id,prompt,response_a,response_b,model_a,model_b,rating"


def test_columns_come_under_the_names_of_the_kind() -> None:
    row = {"id": 7, "question": "Why?", "response": {"text": "So.", "model": "m"}, "score": 3}
    paths = {"key": "id", "prompt": "question", "answer": "response.text", "source": "=manual"}
    assert mapped(row, paths, KNOWN) == {
        "key": "7",
        "prompt": "Why?",
        "answer": "So.",
        "metadata": {"response": {"text": "So.", "model": "m"}, "score": 3, "source": "manual"},
    }


def test_a_column_of_the_right_name_needs_no_mapping() -> None:
    assert mapped({"prompt": "Why?", "text": "So."}, {"answer": "text"}, KNOWN) == {
        "prompt": "Why?",
        "answer": "So.",
        "metadata": {},
    }


def test_a_column_that_gives_way_to_another_is_not_lost() -> None:
    fields = mapped({"answer": "old", "better": "new"}, {"answer": "better"}, KNOWN)
    assert fields["answer"] == "new"


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("a.c.0.d", 2), ("x.y", 3), ("a.c.1.d", None), ("nothing", None), ("a.c.x", None), ("x.y.z", None)],
)
def test_a_path_leads_into_objects_and_lists(path: str, value: Any) -> None:
    row = {"a": {"b": 1, "c": [{"d": 2}]}, "x.y": 3}
    assert mapped(row, {"prompt": path}, KNOWN).get("prompt") == value


def test_columns_are_listed_with_what_is_nested_in_them() -> None:
    columns = columns_of([{"a": None, "m": [{"content": "Hi"}]}, {"a": "x" * 200}])
    assert [column.path for column in columns] == ["m", "m.0", "m.0.content", "a"]
    assert len(columns[-1].example) == 80


def test_five_thousand_columns_are_cut() -> None:
    assert len(columns_of([{f"c{number}": number for number in range(5000)}])) == 500


@pytest.mark.parametrize(
    ("template", "columns", "expected"),
    [
        ("pair", "id Prompt output_1 output_2", "key=id prompt=Prompt response_a=output_1 response_b=output_2"),
        ("pair", "instruction chosen rejected", "prompt=instruction response_a=chosen response_b=rejected"),
        ("rating", "question answer lang", "prompt=question response=answer language=lang"),
        ("rating", "prompt response", ""),
        ("summary", "article highlights", "text=article summary=highlights"),
        ("post_editing", "src mt", "source=src translation=mt"),
        ("rating", "colour", ""),
    ],
)
def test_names_are_guessed(template: str, columns: str, expected: str) -> None:
    kind = find_kind("form").by_definition([all_templates()[template].definition])
    assert guessed(kind, columns_of([dict.fromkeys(columns.split(), "x")])) == read_pairs(expected.split())


def test_pairs_of_the_command_are_read_or_refused() -> None:
    assert read_pairs(["answer=response.text", "source==manual"]) == {"answer": "response.text", "source": "=manual"}
    for wrong in (["answer"], ["=x"], ["answer="], ["a=b", "a=c"]):
        with pytest.raises(ValueError, match="“"):
            read_pairs(wrong)


def test_the_key_comes_first() -> None:
    assert fields_of(find_kind("form"))[0] == "key"


# --- in a project ---------------------------------------------------------------------------------------------------


def pairs() -> Project:
    return create_project(slug="own", kind="form", definition=all_templates()["pair"].definition)


def thirty(folder: Path) -> Path:
    path = folder / "thirty.csv"
    rows = [f"{n},What is {n} + {n}?,{n},{2 * n},gpt,claude,{n % 5}" for n in range(30)]
    path.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
    return path


@pytest.mark.django_db
def test_thirty_ordinary_rows_are_items_at_once(tmp_path: Path) -> None:
    report = imported(pairs(), thirty(tmp_path), "--map", "key=id")
    assert (report["kept"], report["problems"]) == (30, [])
    item = Item.objects.get(key="3")
    assert item.facts == {"prompt": "What is 3 + 3?", "response_a": "3", "response_b": "6"}
    assert item.metadata == {"model_a": "gpt", "model_b": "claude", "rating": "3"}


@pytest.mark.django_db
def test_a_mapping_file_and_a_language_column(tmp_path: Path) -> None:
    project = create_project(slug="own", kind="feedback")
    rows = [{"b": "Error Correction", "q": "Quoi ?", "r": "Rien.", "lang": "fr"}]
    mapping = tmp_path / "map.json"
    mapping.write_text(json.dumps({"bench_type": "b", "user_query": "q", "language": "lang"}))
    words = ("--map-file", mapping, "--map", "origin_first_response=r", "--map", "origin==here")
    report = imported(project, write_rows(tmp_path / "rows.jsonl", rows), *words)
    assert report["kept"] == 1, report["problems"]
    item = Item.objects.get()
    assert (item.facts["user_query"], item.language, item.metadata) == ("Quoi ?", "fr", {"origin": "here"})


@pytest.mark.django_db
def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    report = imported(pairs(), thirty(tmp_path), "--map", "prompt=question.text", "--map", "key=id")
    assert report["kept"] == 0
    assert len(report["problems"]) == 1
    assert report["problems"][0]["count"] == 30
    assert messages(report) == [
        "is to come from the column “question.text”, which this row does not have. Choose another column."
    ]


@pytest.mark.django_db
def test_nonsense_on_the_command_line_is_a_usage_error(tmp_path: Path) -> None:
    pairs()
    code, _report, err = command("import_items", "own", thirty(tmp_path), "--map", "prompt")
    assert code == 2
    assert "field=column" in err


@pytest.mark.django_db
def test_an_upload_is_mapped_by_guesses_and_the_choice_is_remembered(client: Any) -> None:
    project = pairs()
    client.force_login(make_member(project, "lead").user)
    content = json.dumps({"id": 1, "question": "Why?", "first": "So.", "second": "Thus.", "model": "m"}).encode()

    def upload(name: str, body: bytes) -> Batch:
        form = {"file": SimpleUploadedFile(name, body), "drafts": "suggestion", "duplicates": "skip"}
        page = client.post(f"/p/{project.slug}/import/", form, follow=True)
        assert 'id="mapping"' in page.content.decode()
        return Batch.objects.latest("pk")

    batch = upload("rows.jsonl", content)
    guess = {"key": "id", "prompt": "question", "response_a": "first", "response_b": "second"}
    assert batch.settings["mapping"] == guess
    chosen = {
        f"map-{target}": path for target, path in (guess | {"response_a": "second", "response_b": "first"}).items()
    }
    form = chosen | {"format": "jsonl", "drafts": "suggestion", "duplicates": "skip"}
    client.post(f"/p/{project.slug}/import/{batch.pk}/settings/", form)
    client.post(f"/p/{project.slug}/import/{batch.pk}/confirm/")
    command("reconcile")
    item = Item.objects.get()
    assert (item.key, item.facts["response_a"], item.metadata) == ("1", "Thus.", {"model": "m"})
    again = upload("more.jsonl", content.replace(b'"id": 1', b'"id": 2'))
    assert again.settings["mapping"]["response_a"] == "second"
