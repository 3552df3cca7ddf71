import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from django.utils.translation import override

from annotate.formats.rows import ImportRow
from annotate.kinds.shapes import Finding
from annotate.models import Annotation, Item, Project
from tests.annotate.formats.conftest import Read
from tests.support.canals import published
from tests.support.files import command, imported, jsonl, write_rows
from tests.support.people import make_project

DATA = Path(__file__).parents[4] / "shared" / "data"
TUPLES = DATA / "fbi_tuples.jsonl.gz"
TABLES = {
    "fbi_instruction-following__do-more-errors.tsv": (40, "instruction-following", "do-more-errors"),
    "fbi_long-form__formatting-errors.tsv": (25, "long-form", "formatting-errors"),
    "fbi_reasoning__wrong-formula.tsv": (70, "reasoning", "wrong-formula"),
}
real_data = pytest.mark.skipif(
    not TUPLES.exists() and os.environ.get("CI") != "true", reason=f"needs the published tuples in {DATA}"
)


@pytest.fixture
def project() -> Project:
    return make_project(kind_slug="perturbation", reviews=0)


def warnings_of(rows: list[ImportRow]) -> list[list[str]]:
    return [[message for _path, message in row.warnings] for row in rows]


def test_a_table_is_read_whatever_the_order_of_its_columns(read: Read) -> None:
    one = b'cdx\tquestion\tog\tperturbed_gpt4\nif-4_do_more\tWhy?\t"a\tb\nc"\td\n'
    other = b'question\tog\tperturbed_gpt4\tcdx\nWhy?\t"a\tb\nc"\td\tif-4_do_more\n'
    expected = {
        "task": "instruction-following",
        "category": "do-more-errors",
        "cdx": "if-4_do_more",
        "question": "Why?",
        "og": "a\tb\nc",
        "perturbed_gpt4": "d",
    }
    for content in (one, other, gzip.compress(one)):
        rows, problems = read(content, "fbi")
        assert problems == []
        assert [row.value for row in rows] == [expected]


def test_what_the_row_says_of_its_category_counts_more_than_its_number(read: Read) -> None:
    rows, _problems = read(jsonl([published(category="entity-errors", cdx="lf-3_grammar-errors")]), "fbi")
    assert (rows[0].value["task"], rows[0].value["category"]) == ("factual", "entity-errors")


def test_numbers_without_an_end_are_score_invariant(read: Read) -> None:
    rows, _problems = read(b"cdx\tquestion\tog\tperturbed_gpt4\nlf-9\tq\ta\tb\n", "fbi")
    assert (rows[0].value["task"], rows[0].value["category"]) == ("score-invariant", "score_invariant")


def test_equal_answers_and_repeated_texts_are_kept_with_a_warning(read: Read) -> None:
    first, same = published(1), published(2, og="Same.", perturbed_gpt4="Same.")
    again = published(1, category="entity-errors")
    rows, problems = read(jsonl([first, same, again]), "fbi")
    assert problems == []
    repeated = "The same texts stand in line 1 already, as “number-errors/factual-1_number-errors”; both are kept."
    assert warnings_of(rows) == [[], ["The perturbed answer is the gold answer."], [repeated]]


def test_as_final_a_tuple_has_the_verdict_it_was_published_with(read: Read) -> None:
    rows = [published(1), published(2, task="score-invariant", category="score_invariant", cdx="lf-1")]
    rows += [
        published(3, task="long-form", category=f"{name}-errors", cdx="lf-1") for name in ("formatting", "superficial")
    ]
    found, _problems = read(jsonl(rows), "fbi", options={"as": "final"})
    assert [row.value["verdict"] for row in found] == ["valid", *["score_invariant"] * 3]
    assert found[2].value["task"] == "long-form"  # as published
    facts, _problems = read(jsonl(rows), "fbi", options={"as": "facts"})
    assert all("perturbed_gpt4" not in row.value for row in facts)


@pytest.mark.django_db
def test_a_repeated_text_is_a_doubt_of_whoever_validates_it_in_their_language(project: Project, tmp_path: Path) -> None:
    rows = [published(1), published(1, category="entity-errors")]
    imported(project, write_rows(tmp_path / "t.jsonl", rows), "--format", "fbi")
    (doubt,) = Annotation.objects.get(item__key="entity-errors/factual-1_entity-errors").doubts
    assert doubt["said"] == {"line": 1, "key": "number-errors/factual-1_number-errors"}
    with override("en"):
        assert Finding.stored(doubt).message.startswith("The same texts stand in line 1 already")


@pytest.mark.django_db
def test_people_are_given_no_verdict_to_confirm(project: Project, tmp_path: Path) -> None:
    imported(project, write_rows(tmp_path / "t.jsonl", [published(1)]), "--format", "fbi")
    suggestion = Annotation.objects.get()
    assert suggestion.draft == {"perturbed_answer": published(1)["perturbed_gpt4"], "verdict": None, "note": ""}
    assert suggestion.item.state == "ready"


@pytest.mark.django_db
def test_what_is_released_is_a_tuple_again_and_comes_back(project: Project, tmp_path: Path) -> None:
    given = [published(no) for no in range(3)]
    imported(project, write_rows(tmp_path / "t.jsonl", given), "--format", "fbi", "--accept")
    out = tmp_path / "out.jsonl"
    assert command("export_items", project.slug, "--out", out)[0] == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    names = list(given[0])
    assert [{name: row[name] for name in names} for row in rows] == given
    assert {row["verdict"] for row in rows} == {"valid"}
    assert all(row["provenance"]["by"] == "import" for row in rows)

    other = make_project(kind_slug="perturbation", reviews=0)
    assert imported(other, out, "--accept")["kept"] == 3
    command("export_items", other.slug, "--out", tmp_path / "again.jsonl")
    again = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()]
    assert [row | {"provenance": None} for row in again] == [row | {"provenance": None} for row in rows]


@real_data
@pytest.mark.django_db
def test_every_public_tuple_is_kept_under_its_own_key(project: Project) -> None:
    report = imported(project, TUPLES, "--format", "fbi")
    assert (report["read"], report["kept"], report["duplicates"], report["rejected"]) == (1994, 1994, 0, 0)
    said: Counter[str] = Counter()
    for problem in report["problems"]:
        said[problem["message"].partition(" in line ")[0]] += problem.get("count", 1)
    assert said["The perturbed answer is the gold answer."] == 7
    assert said["The same texts stand"] == 68
    assert {problem["level"] for problem in report["problems"]} == {"warning"}
    shipped = set(project.kind_options.taxonomy.categories)
    assert set(Item.objects.values_list("group", flat=True)) <= shipped
    keys = Item.objects.values_list("key", flat=True)
    assert "contextual-errors/factual-87_contextual-errors" in keys


@real_data
@pytest.mark.django_db
@pytest.mark.parametrize("name", TABLES)
def test_the_original_tables_are_read_by_their_name_alone(project: Project, name: str) -> None:
    rows, ability, category = TABLES[name]
    assert imported(project, DATA / name)["kept"] == rows
    assert set(Item.objects.values_list("group", flat=True)) == {category}
    assert {facts["ability"] for facts in Item.objects.values_list("facts", flat=True)} == {ability}
