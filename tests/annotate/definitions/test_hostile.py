"""Definitions and rows that are meant to break something: a message with place and remedy, and no markup on a page."""

import csv
import io
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotate.items import queue
from annotate.kinds.questions.definition import BadDefinition, read_definition
from annotate.models import Item, Project, Release
from annotate.project.actions import create_project
from annotate.work import submit
from tests.security.addresses import addresses
from tests.support.files import command, imported, write_rows
from tests.support.people import make_member, written

SHOW = "show: [{field: p}]\nquestions:\n"
EVIL = "'\"><evil hx-get=/evil onload=evil()></script><evil>=1"
FORMULA = "=cmd|' /C calc'!A0"


# --- definitions ----------------------------------------------------------------------------------------------------


def options(count: int) -> str:
    return f"{SHOW}  - {{name: a, type: choice, options: [{', '.join(f'o{n}' for n in range(count))}]}}"


def text_with(character: str) -> str:
    return f'{SHOW}  - {{name: a, type: text, ask: "x{character}y"}}'


@pytest.mark.parametrize(
    ("text", "line", "path", "said"),
    [
        (options(10_000), 3, "questions[0].options", "has 10000 entries; at most 200"),
        (options(25_000), 3, "", "More than 20000 values; shorten"),
        ("#" + "x" * 10_000_000, 1, "", "10000001 characters; at most 200000"),
        (f"{SHOW}  - {'[' * 90_000}", 3, "", "Nested more than 10 levels"),
        (f"{SHOW}  - {'{a: ' * 40_000}", 3, "", "Nested more than 10 levels"),
        ("- " * 90_000, 1, "", "Nested more than 10 levels"),
        (f'{SHOW}  - {{name: "a\\u202Eb", type: text}}', 3, "questions[0].name", "U+202E; remove it"),
        (f'{SHOW}  - {{name: a, type: choice, options: ["x\\u200Fy", b]}}', 3, "questions[0].options[0]", "U+200F"),
        (text_with("\\u202E"), 3, "questions[0].ask", "U+202E; remove it"),
        (text_with("\\0"), 3, "questions[0].ask", "U+0000; remove it"),
        (text_with("\\x9b"), 3, "questions[0].ask", "U+009B; remove it"),
        (f"{SHOW}  - {{name: a, type: text, ask: {{English: x}}}}", 3, "questions[0].ask.English", "such as en or zh"),
    ],
)
def test_a_hostile_definition_is_refused_with_place_and_remedy(text: str, line: int, path: str, said: str) -> None:
    with pytest.raises(BadDefinition) as bad:
        read_definition(text)
    [fault] = bad.value.faults
    assert (fault.line, fault.path) == (line, path)
    assert said in fault.message


def test_texts_may_have_lines_and_the_marks_that_arabic_needs() -> None:
    assert read_definition(text_with("\\u200F\\n\\t")).questions[0].label() == "x\u200f\n\ty"


def test_thousands_of_faults_are_a_hundred_and_a_number() -> None:
    extra = ", ".join(f"k{n}: 1" for n in range(9000))
    with pytest.raises(BadDefinition) as bad:
        read_definition(f"{SHOW}  - {{name: a, type: text, {extra}}}")
    assert len(bad.value.faults) == 101
    assert "8900 more faults are not listed" in bad.value.faults[-1].message


@pytest.mark.django_db
def test_a_definition_file_of_ten_megabytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "big.yaml"
    file.write_text("#" + "x" * 10_000_000)
    code, _told, err = command("create_project", "own", "--kind", "form", "--definition", file)
    assert (code, Project.objects.exists()) == (1, False)
    assert "at most 200000 are allowed" in err
    file.write_bytes(b"show: \xff\xfe")
    assert "UTF-8" in command("create_project", "own", "--kind", "form", "--definition", file)[2]


# --- a project whose every text is hostile --------------------------------------------------------------------------


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def hostile_definition() -> str:
    evil, formula = quoted(EVIL), quoted(FORMULA)
    option = f"{{value: {formula}, text: {evil}, about: {evil}}}"
    return f"""show:
  - {{field: items, title: {evil}}}
  - {{field: values, as: text, title: {{en: {evil}, zh: {evil}}}}}
  - {{field: {evil}, as: json}}
  - {{field: keys, as: table, optional: true}}
  - {{field: get, as: texts, optional: true}}
questions:
  - {{name: __proto__, type: choice, ask: {evil}, help: {evil}, options: [{option}, {evil}]}}
  - {{name: constructor, type: choices, ask: {evil}, options: [{option}, "on", "yes"], required: false}}
  - {{name: "on", type: rating, ask: {evil}, scale: {{"1": {evil}, "5": {formula}}}, when: {{__proto__: not "on"}}}}
  - {{name: "yes", type: text, ask: {evil}, start: values, compare: values, required: false}}
  - {{name: hasOwnProperty, type: number, unit: {evil}, required: false}}
  - {{name: toString, type: pair, of: [items, values], ask: {evil}, help: {evil}}}
  - {{name: valueOf, type: ranking, of: [items, values], ask: {evil}, required: false}}
"""


ROW: dict[str, Any] = {"items": EVIL, "values": FORMULA, EVIL: {EVIL: EVIL}, "keys": [{EVIL: EVIL}], "get": [EVIL]}
ANSWERS = {"__proto__": FORMULA, "constructor": ["on"], "on": 5, "yes": EVIL, "toString": "first", "valueOf": [1, 2]}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = create_project(slug="own", kind="form", definition=hostile_definition(), reviews=1)
    rows = [ROW | {"key": f"{EVIL}{n}", "model": EVIL, "score": {"items": EVIL}} for n in range(2)]
    report = imported(project, write_rows(tmp_path / "rows.jsonl", rows))
    assert (report["kept"], report["problems"]) == (2, [])
    return project


class Markup(HTMLParser):
    """What of a page is not ours."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value for name, value in attrs if name.startswith(("hx-", "on"))}
        if tag == "evil" or any("evil" in (value or "") for value in own.values()):
            self.foreign.append(f"{tag} {own}")


def looked_at(client: Client, address: str) -> str:
    answer = client.get(address, follow=True)
    assert answer.status_code < 500, address
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    page = content.decode(errors="replace")
    if "html" in answer.get("Content-Type", ""):
        assert Markup(page).foreign == [], address
    return page


@pytest.mark.django_db
def test_labels_and_options_are_text_on_every_page(project: Project, client: Client, tmp_path: Path) -> None:
    member = make_member(project)
    slot = queue.claim_next(member, "annotate")
    assert slot is not None
    submit.submit(annotation=written(slot, member, ANSWERS), token=slot.token, by=member.user)
    command("export_items", "own", "--out", tmp_path / "x.jsonl", "--state", "any", "--metadata", "--note", EVIL)
    paths = {
        address.path(slug="own", object_id=0) for address in addresses().values() if address.parameters == ("slug",)
    }
    paths |= {f"/p/own/items/{item}/" for item in Item.objects.values_list("pk", flat=True)}
    for role in ("lead", "reviewer", "annotator"):
        client.force_login(make_member(project, role).user)
        pages = {path: looked_at(client, path) for path in sorted(paths | {"/", "/p/own/releases/1/"})}
        assert sum("&lt;evil" in page for page in pages.values()) >= 2, role
    page = client.post("/p/own/work/next/", follow=True).content.decode()
    assert 'id="field-__proto__"' in page
    assert Markup(page).foreign == []
    assert Release.objects.get().rows == 2


@pytest.mark.django_db
def test_a_hostile_file_is_text_in_its_preview(project: Project, client: Client, tmp_path: Path) -> None:
    client.force_login(make_member(project, "lead").user)
    content = write_rows(tmp_path / "r.jsonl", [ROW | {"key": "k", "__proto__": EVIL}, {EVIL: EVIL}]).read_bytes()
    file = SimpleUploadedFile(f"{EVIL.replace('/', '')}.jsonl", content)
    form = {"file": file, "drafts": "suggestion", "duplicates": "skip"}
    page = client.post("/p/own/import/", form, follow=True).content.decode()
    assert 'id="mapping"' in page
    assert Markup(page).foreign == []


@pytest.mark.django_db
def test_no_cell_of_a_table_is_a_formula(project: Project, client: Client, tmp_path: Path) -> None:
    client.force_login(make_member(project, "lead").user)
    ratings = [{"key": f"{EVIL}0", "rater": FORMULA, **ANSWERS}, {"key": f"{EVIL}0", "rater": "Bo", **ANSWERS}]
    assert command("import_ratings", "own", write_rows(tmp_path / "r.jsonl", ratings))[1]["ratings"] == 2
    tables = [looked_at(client, reverse(name, args=["own"])) for name in ("items_csv", "agreement_csv")]
    for words in (("--state", "any"), ("--rows", "raters", "--names")):
        code, _told, err = command("export_items", "own", "--out", tmp_path / "x.csv", "--format", "csv", *words)
        assert code == 0, err
        tables.append((tmp_path / "x.csv").read_text(encoding="utf-8"))
    for table in tables:
        for row in csv.reader(io.StringIO(table.removeprefix("\ufeff"), newline="")):
            assert not [cell for cell in row if cell.startswith(("=", "+", "@", "\t", "\r"))]


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def plain() -> Project:
    return create_project(slug="own", kind="form", definition=f"{SHOW}  - {{name: a, type: text}}")


@pytest.mark.django_db
def test_five_thousand_columns_are_one_problem(plain: Project, tmp_path: Path) -> None:
    names = [f"c{n}" for n in range(5000)]
    table = "\n".join([",".join(["p", *names]), *(",".join(["x", *("1" * 5000)]) for _row in range(20))])
    (tmp_path / "t.csv").write_text(table)
    [problem] = imported(plain, tmp_path / "t.csv")["problems"]
    assert (problem["count"], problem["path"]) == (20, "metadata")
    assert "leave out what you do not need" in problem["message"]
    create_project(slug="fb", kind="feedback")
    [problem] = command("import_items", "fb", tmp_path / "t.csv")[1]["problems"]
    assert (problem["count"], problem["path"]) == (20, "")
    assert "has 5001 fields; at most 300 are read" in problem["message"]
    (tmp_path / "t.csv").write_text(",".join(f"c{n}" for n in range(200_000)))
    [problem] = imported(plain, tmp_path / "t.csv")["problems"]
    assert "200000 columns; at most 10000 are read" in problem["message"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "row"), [("t.csv", ",,\n"), ("t.tsv", "\t\t\n"), ("t.jsonl", "\n"), ("t.jsonl", "  \n")]
)
def test_a_million_empty_rows_are_no_rows(plain: Project, tmp_path: Path, name: str, row: str) -> None:
    head = {"t.csv": "p,b,c\nx,,\n", "t.tsv": "p\tb\tc\nx\t\t\n"}.get(name, '{"p": "x"}\n')
    (tmp_path / name).write_text(head + row * 1_000_000)
    report = imported(plain, tmp_path / name)
    assert (report["read"], report["kept"], report["problems"]) == (1, 1, [])


@pytest.mark.django_db
def test_a_row_reports_fifty_problems_and_a_number(tmp_path: Path) -> None:
    create_project(slug="fb", kind="feedback")
    rows = write_rows(tmp_path / "r.jsonl", [{f"c{n}": 1 for n in range(200)}])
    problems = command("import_items", "fb", rows)[1]["problems"]
    assert len(problems) == 51
    assert "more problems; correct the listed ones first" in problems[-1]["message"]


@pytest.mark.django_db
def test_many_objects_without_anything_are_one_problem(plain: Project, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("{}\n" * 20_000)
    report = imported(plain, tmp_path / "t.jsonl")
    [problem] = report["problems"]
    assert (report["rejected"], problem["count"], problem["path"]) == (20_000, 20_000, "p")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["nothing", "a.b.c", "p.0", "9" * 5000, "__proto__", ".", "..", "p." * 2000])
def test_a_mapping_to_a_path_that_is_not_there_names_it(plain: Project, tmp_path: Path, path: str) -> None:
    rows = write_rows(tmp_path / "r.jsonl", [{"p": "x", "list": [1], "n": n} for n in range(10)])
    code, report, _err = command("import_items", "own", rows, "--map", f"p={path}")
    [problem] = report["problems"]
    assert (code, problem["count"], problem["path"]) == (1, 10, "p")
    assert f"“{path[:80]}”, which this row does not have. Choose another column." in problem["message"]
