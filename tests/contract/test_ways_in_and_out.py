"""What every format that rows are written in promises: what it can hold comes back as it was, and it says what not."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings

from annotate.formats.format import Format
from annotate.formats.rows import JSON, shape_of
from annotate.kinds import all_kinds
from annotate.models import Annotation, Project
from annotate.releases.conversion import writers
from tests.contract.test_formats import files, without_provenance
from tests.contract.test_kinds import EXAMPLES
from tests.support.files import command, imported, row, write_rows
from tests.support.people import make_project

pytestmark = pytest.mark.django_db

FIXTURES = Path(__file__).parents[2] / "fixtures"
every_writer = pytest.mark.parametrize("wanted", writers().values(), ids=writers())
ANY = ("--state", "any")
HARD = [
    "=1+1",
    "'=1+1",
    "''",
    "'",
    "-1",
    "+1",
    "@a",
    "\tx",
    "\rx",
    "[1]",
    '{"a": 1}',
    "'[1]",
    "null",
    "1",
    "true",
    'a"b\r\nc,d;e',
    "＝1",
    "\u2028x",
    " x ",
    "__json",
]


def there_and_back(folder: Path, kind: str, source: Path, wanted: Format, *words: str) -> None:
    """What comes back by that format is what comes back by JSON lines."""
    first, plain, other = (make_project(kind_slug=kind) for _ in range(3))
    report = imported(first, source, *words)
    assert report["kept"] == report["read"] > 0, report["problems"]
    out = folder / f"{first.slug}{wanted.written_as}"
    code, told, err = command("export_items", first.slug, *ANY, "--out", out, "--format", wanted.slug)
    assert (code, told["rows"]) == (0, report["kept"]), err
    code, verified, err = command("verify", out)
    assert verified["ok"], err
    assert imported(plain, exported(first, folder), *words)["kept"] == report["kept"]
    back = imported(other, out, "--format", wanted.slug, *words)
    assert back["kept"] == report["kept"], back["problems"]
    assert [*rows_of(exported(other, folder))] == [*rows_of(exported(plain, folder))]


def exported(project: Project, folder: Path) -> Path:
    path = folder / f"{project.slug}.jsonl"
    command("export_items", project.slug, *ANY, "--out", path)
    return path


def rows_of(path: Path) -> Iterator[bytes]:
    return without_provenance(path.read_bytes())


@pytest.mark.parametrize(  # whole rows: any values come back by tests/lib/test_parquet_rows.py, without a program
    "wanted", [wanted for wanted in writers().values() if not wanted.whole_rows], ids=lambda wanted: wanted.slug
)
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(rows=files())
def test_any_rows_that_import_accepts_come_back(wanted: Format, tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    there_and_back(tmp_path, "feedback", write_rows(tmp_path / "given.jsonl", rows), wanted)


@every_writer
def test_texts_that_tools_could_take_for_something_else_come_back(wanted: Format, tmp_path: Path) -> None:
    rows = [
        row(no, feedback=f"{text}", origin_first_response=text) | {"key": f"{text}{no}"} for no, text in enumerate(HARD)
    ]
    there_and_back(tmp_path, "feedback", write_rows(tmp_path / "given.jsonl", rows), wanted, "--accept")


every_kind = pytest.mark.parametrize("kind", sorted(all_kinds()))


def samples(kind: str, folder: Path) -> Path:
    source = FIXTURES / f"{kind}_demo.jsonl"
    if not source.exists():
        source = FIXTURES / "guide" / f"{kind}s.jsonl"
    lines = source.read_text().splitlines()[:6]
    (folder / "given.jsonl").write_text("\n".join(lines) + "\n")
    return folder / "given.jsonl"


@every_writer
@every_kind
def test_samples_of_every_kind_come_back(wanted: Format, kind: str, tmp_path: Path) -> None:
    there_and_back(tmp_path, kind, samples(kind, tmp_path), wanted)


@every_kind
def test_a_suggestion_that_the_form_starts_with_comes_back(kind: str, tmp_path: Path) -> None:
    """Values may be right although the empty draft has them: only what is still to be written is left out."""
    first, second = (make_project(kind_slug=kind) for _ in range(2))
    empty = first.kind.empty_draft(first.kind.read_facts(EXAMPLES[kind]))
    source = write_rows(tmp_path / "given.jsonl", [EXAMPLES[kind] | {"suggestion": empty | {"model": "drafter-a"}}])
    assert imported(first, source)["kept"] == 1
    out = exported(first, tmp_path)
    decided = first.kind.read_row(json.loads(out.read_text())).draft
    report = imported(second, out)
    assert report["kept"] == 1, report["problems"]
    drafts = [[text.draft for text in Annotation.objects.filter(item__project=one)] for one in (first, second)]
    assert drafts == [[first.kind.read_draft(empty).stored()], drafts[0] if decided else []]
    assert [*rows_of(exported(first, tmp_path))] == [*rows_of(exported(second, tmp_path))]


def written_as(slug: str, kind: str, folder: Path, source: Path) -> tuple[list[dict[str, Any]], str]:
    """What was written in that format, and what lies beside it."""
    project = make_project(kind_slug=kind)
    assert imported(project, source)["kept"]
    told = command("export_items", project.slug, *ANY, "--out", folder / "out.json", "--format", slug)[1]
    return json.loads((folder / "out.json").read_text()), (folder / told["beside"]).read_text()


@every_kind
def test_a_labelling_configuration_fits_its_tasks(kind: str, tmp_path: Path) -> None:
    """What Label Studio asks of a file: every text of the configuration in every task, every result of a control."""
    tasks, config = written_as("label_studio", kind, tmp_path, samples(kind, tmp_path))
    tags = {tag.attrib["name"]: tag for tag in ElementTree.fromstring(config) if "name" in tag.attrib}
    texts = {name for name, tag in tags.items() if tag.tag == "Text"}
    assert all(isinstance(task["data"][tags[name].attrib["value"][1:]], str) for name in texts for task in tasks)
    assert all(set(tag.attrib["toName"].split(",")) <= texts for name, tag in tags.items() if name not in texts)
    assert len(tags) > len(texts)  # there is something to fill in, also where nobody has yet
    assert all(tag.attrib.get("choice") is None or len(tag) for tag in tags.values())
    for result in (one for task in tasks for by in task["annotations"] + task["predictions"] for one in by["result"]):
        tag = tags[result["from_name"]]
        assert (tag.tag.lower(), tag.attrib["toName"]) == (result["type"], result["to_name"])
        assert {*result["value"].get("choices", [])} <= {
            choice.attrib.get("alias", choice.attrib["value"]) for choice in tag if tag.tag == "Choices"
        }


@every_kind
def test_settings_of_a_dataset_fit_its_records(kind: str, tmp_path: Path) -> None:
    """What Argilla asks of a dataset: a question that is required, two labels to choose from, fitting answers."""
    records, told = written_as("argilla", kind, tmp_path, samples(kind, tmp_path))
    settings = json.loads(told)
    questions = {one["name"]: one for one in settings["questions"]}
    assert sum(one["required"] for one in questions.values()) == 1
    labels = {name: {each["value"] for each in one["settings"].get("options", [])} for name, one in questions.items()}
    assert all(
        len(found) > 1 for name, found in labels.items() if questions[name]["settings"]["type"] == "label_selection"
    )
    for record in records:
        assert all(one["name"] in record["fields"] for one in settings["fields"] if one["required"])
        answers = {name: one[0]["value"] for name, one in record["responses"].items()}
        answers |= {name: one["value"] for name, one in record["suggestions"].items()}
        for name, value in answers.items():
            if questions[name]["settings"]["type"] in ("rating", "ranking", "span"):
                continue
            assert {*([value] if isinstance(value, str) else value)} <= labels[name] or not labels[name]
            assert isinstance(value, list) == (questions[name]["settings"]["type"] == "multi_label_selection")


def test_a_text_that_some_rows_lack_is_empty_in_a_task_and_missing_again_when_it_is_read(tmp_path: Path) -> None:
    pair = {"query": "Why?", "first": "One.", "second": "Two.", "key": "pair"}
    alone = {"query": "How?", "first": "One.", "key": "alone"}
    source = write_rows(tmp_path / "given.jsonl", [pair, alone])
    tasks, config = written_as("label_studio", "branching", tmp_path, source)
    assert 'value="$second"' in config
    assert [task["data"]["second"] for task in tasks] == ["Two.", ""]
    there_and_back(tmp_path, "branching", source, writers()["label_studio"])


def test_a_choice_that_nobody_has_made_has_a_name_of_its_own() -> None:
    assert [shape_of(value, "choice") for value in ("tie", "", None)] == ["choice", JSON, JSON]
    assert [shape_of(value, "choices") for value in (["a"], [])] == ["choices", JSON]


@every_writer
def test_it_says_what_it_cannot_hold(wanted: Format, tmp_path: Path) -> None:
    project = make_project()
    imported(project, write_rows(tmp_path / "a.jsonl", [row(1)]))
    told = command("export_items", project.slug, "--state", "any", "--out", tmp_path / "a", "--format", wanted.slug)[1]
    assert told["written_as"] == wanted.slug
    assert wanted.whole_rows or any("provenance" in lost for lost in told["cannot_hold"])
    assert bool(wanted.beside_as) == ("beside" in told)
    manifest = json.loads((tmp_path / "a.manifest.json").read_text())
    assert manifest["sha256"] == told["sha256"] != manifest["release_sha256"]
    assert (tmp_path / "a").read_bytes()


def test_a_changed_file_is_noticed_in_whatever_format(tmp_path: Path) -> None:
    project = make_project()
    imported(project, write_rows(tmp_path / "a.jsonl", [row(1), row(2)]))
    out = tmp_path / "a.json"
    command("export_items", project.slug, "--state", "any", "--out", out, "--format", "label_studio")
    tasks = json.loads(out.read_text())
    out.write_text(json.dumps(tasks[:1]))
    code, _told, err = command("verify", out)
    assert code == 1
    assert "1 rows" in err
