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
from tests.support.files import command, facts_only, imported, messages, without, write_rows
from tests.support.people import make_member, make_project

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


def test_names_of_a_kind_with_fixed_fields_are_guessed_by_their_labels() -> None:
    columns = columns_of([dict.fromkeys(("id", "scenario", "question", "answer", "topic"), "x")])
    expected = "key=id bench_type=scenario user_query=question origin_first_response=answer"
    assert guessed(find_kind("feedback"), columns) == read_pairs(expected.split())


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


def uploaded(client: Any, project: Project, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> Batch:
    client.force_login(make_member(project, "lead").user)
    file = SimpleUploadedFile(name, "".join(f"{json.dumps(row)}\n" for row in rows).encode())
    client.post(f"/p/{project.slug}/import/", {"file": file, "drafts": "suggestion", "duplicates": "skip"})
    return Batch.objects.latest("pk")


SETTINGS = {"format": "jsonl", "drafts": "suggestion", "duplicates": "skip"}


@pytest.mark.django_db
def test_a_text_for_every_row_is_chosen_on_the_page(client: Any) -> None:
    project = pairs()
    batch = uploaded(client, project, [{"id": 1, "a": "So.", "b": "Thus.", "model": "<b hx-get=/x>m</b>"}])
    address = f"/p/{project.slug}/import/{batch.pk}"
    chosen = {"map-prompt": "=", "map-response_a": "a", "map-response_b": "b", "map-key": "id"}
    answer = client.post(f"{address}/settings/", SETTINGS | chosen | {"say-prompt": ""})
    assert answer.status_code == 422
    assert "Write the text, or choose a column." in answer.content.decode()
    client.post(f"{address}/settings/", SETTINGS | chosen | {"say-prompt": "Which is better?"})
    batch.refresh_from_db()
    assert batch.settings["mapping"]["prompt"] == "=Which is better?"
    page = client.get(f"{address}/").content.decode()
    assert 'value="Which is better?"' in page
    assert '<option value="=" selected>' in page
    assert "hx-get=/x>" not in page.replace("&lt;b hx-get=/x&gt;", "")
    client.post(f"{address}/confirm/")
    command("reconcile")
    assert Item.objects.get().facts["prompt"] == "Which is better?"


@pytest.mark.django_db
def test_the_page_shows_the_first_rows_and_what_stays_as_metadata(client: Any) -> None:
    project = pairs()
    rows = [{"id": n, "q": {"text": f"Why {n}?", "from": "web"}, "a": "x", "b": "y", "score": n} for n in range(12)]
    batch = uploaded(client, project, rows)
    page = client.get(f"/p/{project.slug}/import/{batch.pk}/").content.decode()
    assert "q.text · Why 0?" in page
    head = page.partition('id="head"')[2].partition("</table>")[0]
    assert (head.count("<tr>"), head.count("<th ")) == (11, 5)
    left = page.partition('id="left-as-metadata"')[2].partition("</p>")[0]
    assert "<code>score</code>" in left
    assert "<code>a</code>" not in left


@pytest.mark.django_db
def test_a_file_of_five_thousand_columns_has_a_page_of_bounded_size(client: Any) -> None:
    parts = "\n".join(f"  - {{field: c{n}}}" for n in range(50))
    asked = "\n".join(f"  - {{name: q{n}, type: text}}" for n in range(300))
    project = create_project(slug="own", kind="form", definition=f"show:\n{parts}\nquestions:\n{asked}\n")
    batch = uploaded(client, project, [{f"column {n}": "x" * 100 for n in range(5000)}])
    page = client.get(f"/p/own/import/{batch.pk}/").content.decode()
    assert "more columns are not shown" in page
    assert len(page) < 5_000_000


@pytest.mark.django_db
def test_a_path_of_the_command_stays_on_the_page(client: Any) -> None:
    project = pairs()
    batch = uploaded(client, project, [{"a": {"b": {"c": {"d": "deep"}}}}])
    Batch.objects.filter(pk=batch.pk).update(settings=batch.settings | {"mapping": {"prompt": "a.b.c.d"}})
    page = client.get(f"/p/{project.slug}/import/{batch.pk}/").content.decode()
    assert '<option value="a.b.c.d" selected>' in page


def test_a_key_that_is_null_is_no_key() -> None:
    assert [mapped({"id": key}, {"key": "id"}, KNOWN)["key"] for key in (None, 7, 0.5, "x")] == [None, "7", "0.5", "x"]


@pytest.mark.django_db
def test_a_problem_of_thirty_thousand_rows_is_one_line_with_a_count(tmp_path: Path) -> None:
    project = pairs()
    rows = write_rows(tmp_path / "rows.jsonl", ({"prompt": f"{n}?", "response_a": "x"} for n in range(30_000)))
    for words in ((), ("--map", "response_b=b.text")):
        report = imported(project, rows, *words)
        assert (report["read"], report["kept"], report["rejected"]) == (30_000, 0, 30_000)
        [problem] = report["problems"]
        assert (problem["count"], problem["path"], problem["line"]) == (30_000, "response_b", 1)
    ratings = write_rows(tmp_path / "ratings.jsonl", ({"key": f"k{n}", "rater": "A", "q": n} for n in range(5000)))
    [problem] = command("import_ratings", "own", ratings)[1]["problems"]
    assert (problem["count"], problem["path"]) == (5000, "key")


@pytest.mark.django_db
def test_the_id_of_a_file_with_the_kinds_own_names_is_its_key(client: Any, tmp_path: Path) -> None:
    project = pairs()
    client.force_login(make_member(project, "lead").user)
    file = SimpleUploadedFile("pairs.csv", thirty(tmp_path).read_bytes())
    page = client.post(f"/p/{project.slug}/import/", {"file": file, "drafts": "suggestion", "duplicates": "skip"})
    assert Batch.objects.get().settings["mapping"] == {"key": "id"}
    text = client.get(page["Location"]).content.decode()
    metadata = text.split('id="left-as-metadata"')[1].split("</p>")[0]
    assert [name in metadata for name in ("id", "model_a", "model_b", "rating")] == [False, True, True, True]


@pytest.mark.django_db
def test_the_command_takes_the_id_of_rows_without_a_key(tmp_path: Path) -> None:
    project = pairs()
    texts = {"prompt": "Why?", "response_a": "x", "response_b": "y"}
    rows = [{"id": 7, **texts}, {"id": " ", **texts}, {"id": "other", "key": "own", **texts}]
    assert imported(project, write_rows(tmp_path / "a.jsonl", rows))["kept"] == 3
    first, hashed, own = Item.objects.order_by("pk")
    assert [first.key, len(hashed.key), own.key] == ["7", 16, "own"]
    assert [item.metadata for item in (first, hashed, own)] == [None, {"id": " "}, {"id": "other"}]
    words = ("--map", "doc=id", "--map", "key=no")
    report = imported(project, write_rows(tmp_path / "b.jsonl", [{"id": "7", "no": "n-1", **texts}]), *words)
    assert report["kept"] == 1, report["problems"]
    assert Item.objects.get(key="n-1").metadata == {"doc": "7"}


@pytest.mark.django_db
def test_a_command_refuses_unknown_columns_beside_an_id_as_ever(tmp_path: Path) -> None:
    project = make_project(slug="fb")
    report = imported(project, write_rows(tmp_path / "a.jsonl", [without(facts_only(id="q-1", odd=1), "key")]))
    assert [(problem["path"], problem["level"]) for problem in report["problems"]] == [("odd", "error")]
    assert imported(project, write_rows(tmp_path / "b.jsonl", [without(facts_only(id="q-1"), "key")]))["kept"] == 1
    assert Item.objects.get().key == "q-1"


RESPONSES = {"prompt": "Why?", "response_a": "x", "response_b": "y"}


@pytest.mark.django_db
def test_the_preview_says_which_columns_name_the_models_of_a_pair(client: Any) -> None:
    project = pairs()

    def page(**columns: str) -> str:
        batch = uploaded(client, project, [{"key": "k", **RESPONSES, **columns}])
        return " ".join(client.get(f"/p/{project.slug}/import/{batch.pk}/").content.decode().split())

    assert "The columns model_a and model_b name the models of response_a and response_b" in page(
        model_a="m1", model_b="m2"
    )
    other = page(generator_x="m1", generator_y="m2")
    assert "No two columns name the models of response_a and response_b" in other
    assert 'name="map-model_a"' in other


@pytest.mark.django_db
def test_columns_that_name_models_in_another_way_are_proposed(client: Any) -> None:
    batch = uploaded(client, pairs(), [{"key": "k", **RESPONSES, "model_1": "m1", "model_2": "m2"}])
    assert batch.settings["mapping"] == {"model_a": "model_1", "model_b": "model_2"}
    named = uploaded(client, batch.project, [{"key": "k", **RESPONSES, "system_a": "m1", "system_b": "m2"}])
    assert named.settings["mapping"] == {}
