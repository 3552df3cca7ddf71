"""A file's own words for closed values, the labels of its columns, and all problems of a row at once."""

from typing import Any

import pytest

from annotate.formats.rows import ImportRow
from annotate.intake.closed_values import MOST_UNKNOWN, allowed_values, unknown_values
from annotate.intake.row_reader import RowReader, Settings
from annotate.models import Batch, Item, Project
from annotate.project.actions import create_project
from tests.annotate.intake.test_mapping import SETTINGS, uploaded
from tests.support.files import command, facts_only, row
from tests.support.people import make_project

pytestmark = pytest.mark.django_db
OWN = [
    {"id": 1, "question": "How many moons has Mars?", "answer": "One.", "kind": "correction", "area": "Maths"},
    {"id": 2, "question": "What is 2 + 2?", "answer": "Five.", "kind": "correction", "area": "Maths"},
]
MAPPED = {"map-key": "id", "map-user_query": "question", "map-origin_first_response": "answer"}
COLUMNS = MAPPED | {"map-bench_type": "kind", "map-task_type": "area"}


def page_of(client: Any, batch: Batch) -> str:
    return client.get(f"/p/{batch.project.slug}/import/{batch.pk}/").content.decode()


def change(client: Any, batch: Batch, choices: dict[str, str]) -> Any:
    return client.post(f"/p/{batch.project.slug}/import/{batch.pk}/settings/", SETTINGS | choices)


def word_field(page: str, target: str, text: str) -> str:
    """The name of the select for what this text stands for."""
    label = page[: page.index(f"“{text}” in the file stands for")]
    return label.rpartition('<label for="id_')[2].partition('"')[0] if target in label else ""


def test_columns_have_labels_keys_and_say_what_is_required(client: Any) -> None:
    batch = uploaded(client, make_project(slug="fb"), OWN)
    page = page_of(client, batch)
    mapping = page.partition('id="mapping"')[2].partition("</details>")[0]
    assert mapping.lstrip().startswith("open>")
    assert 'First answer <code class="quiet">origin_first_response</code>' in mapping
    assert mapping.count(">required<") == 3
    assert page.index('id="mapping"') < page.index('id="preview-problems"')


def test_words_of_the_file_stand_for_allowed_values(client: Any) -> None:
    project = make_project(slug="fb")
    batch = uploaded(client, project, OWN)
    change(client, batch, COLUMNS)
    page = page_of(client, batch)
    words = {word_field(page, "bench_type", "correction"): "Error Correction"}
    words |= {word_field(page, "task_type", "Maths"): "Mathematics"}
    change(client, batch, COLUMNS | words)
    batch.refresh_from_db()
    assert batch.settings["words"] == {
        "bench_type": {"correction": "Error Correction"},
        "task_type": {"Maths": "Mathematics"},
    }
    client.post(f"/p/fb/import/{batch.pk}/confirm/")
    command("reconcile")
    assert [item.facts["bench_type"] for item in Item.objects.all()] == ["Error Correction"] * 2
    again = uploaded(client, project, [{**OWN[0], "id": 3, "question": "Why?"}])
    assert again.settings["words"] == batch.settings["words"]
    change(client, again, COLUMNS | dict.fromkeys(words, ""))
    again.refresh_from_db()
    assert again.settings["words"] == {}


def test_a_text_for_every_row_is_chosen_from_the_closed_list(client: Any) -> None:
    batch = uploaded(client, make_project(slug="fb"), OWN)
    assert '<select name="say-bench_type"' in page_of(client, batch)
    assert change(client, batch, MAPPED | {"map-bench_type": "=", "say-bench_type": "anything"}).status_code == 422
    answer = change(client, batch, MAPPED | {"map-bench_type": "=", "say-bench_type": ""})
    assert "Choose a value, or a column." in answer.content.decode()
    several = {"map-error_type": "=", "say-error_type": "Logical Error"}
    change(client, batch, MAPPED | {"map-bench_type": "=", "say-bench_type": "Error Correction"} | several)
    page = page_of(client, batch)
    assert "preview-problems" not in page
    assert "Logical Error" in page.partition('id="rows"')[2]


def test_a_name_of_a_language_stands_for_its_code(client: Any) -> None:
    project = make_project(slug="fb")
    batch = uploaded(client, project, [{**facts_only(1), "tongue": "Chinese"}, {**facts_only(2), "tongue": "en"}])
    change(client, batch, {"map-language": "tongue"})
    page = page_of(client, batch)
    assert "“en” in the file stands for" not in page
    change(client, batch, {"map-language": "tongue", word_field(page, "language", "Chinese"): "zh"})
    client.post(f"/p/fb/import/{batch.pk}/confirm/")
    command("reconcile")
    assert list(Item.objects.order_by("pk").values_list("language", flat=True)) == ["zh", "en"]


def test_unknown_values_are_listed_once_and_up_to_a_bound() -> None:
    project = make_project(slug="fb")
    rows = [{"error_type": ["Logical Error", f"word {n % 30}"], "task_type": "Maths"} for n in range(90)]
    unknown = unknown_values([*rows, {"task_type": "x" * 200}, {"task_type": ""}], project, {})
    assert (len(unknown["error_type"].values), unknown["error_type"].more) == (MOST_UNKNOWN, True)
    assert (unknown["task_type"].values, unknown["task_type"].more) == (["Maths"], False)


def test_own_questions_have_their_options_as_closed_values() -> None:
    definition = """
show: [{field: text}]
questions:
  - {name: severity, type: choice, options: [minor, major]}
  - {name: causes, type: choices, options: [facts, style]}
"""
    project = create_project(slug="own", kind="form", definition=definition)
    assert allowed_values(project) == {"severity": ["minor", "major"], "causes": ["facts", "style"]}


def problems(project: Project, value: dict[str, Any], settings: Settings | None = None) -> list[str]:
    reader = RowReader(project, "rows.jsonl", settings or Settings(format="jsonl"))
    return [f"{problem.path} {problem.message}" for problem in reader.read(ImportRow(1, value)).problems]


def test_a_row_names_the_problems_of_its_facts_and_of_its_draft_together() -> None:
    found = problems(make_project(slug="fb"), row(1, bench_type="correction", task_type="Maths", user_query=""))
    assert [line.partition(" ")[0] for line in found] == ["bench_type", "user_query", "task_type"]


def test_what_depends_on_the_wrong_fact_is_not_said() -> None:
    """Only error correction has weights and deficiency types: with the scenario open, neither is a problem."""
    found = problems(make_project(slug="fb"), row(1, bench_type="correction"))
    assert [line.partition(" ")[0] for line in found] == ["bench_type"]


def test_a_bad_language_does_not_hide_the_rest() -> None:
    settings = Settings(format="jsonl", mapping={"language": "tongue"})
    found = problems(make_project(slug="fb"), row(1, tongue="Chinese", task_type="Maths"), settings)
    assert [line.partition(" ")[0] for line in found] == ["language", "task_type"]
