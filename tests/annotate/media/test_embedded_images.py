"""Images that transcripts hold as data become files of the project when they are imported."""

import json
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from annotate.formats.rows import ImportRow
from annotate.intake.batches import import_files
from annotate.intake.report import Report
from annotate.intake.row_reader import RowReader, Settings
from annotate.kinds.protocol import Prompts
from annotate.models import Item, MediaFile, Project
from annotate.project.actions import create_project
from tests.support.pages import client_of
from tests.support.people import make_member
from tests.support.pictures import opened, picture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]

TEXT = """show: [{field: log, as: chat}]
questions: [{name: ok, type: choice, options: [good, bad]}]
"""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture
def project() -> Project:
    project: Project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    return project


def url(data: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{b64encode(data).decode()}"


def part(address: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": address, "detail": "high"}}


def message(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


def imported(project: Project, folder: Path, *logs: Any, **options: Any) -> Report:
    file = folder / "rows.jsonl"
    rows = ({"key": f"k-{number}", "log": log} for number, log in enumerate(logs))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return import_files(project=project, names=[str(file)], settings=Settings("jsonl"), **options)


def name_of(data: bytes, ending: str = "png") -> str:
    return f"embedded/{sha256(data).hexdigest()}.{ending}"


def log_of(number: int = 0) -> Any:
    return Item.objects.get(key=f"k-{number}").facts["log"]


def refusals(report: Report) -> list[tuple[str, str]]:
    return [(problem["path"], problem["message"]) for problem in report.as_json()["problems"] if problem["path"]]


# --- what is kept ---------------------------------------------------------------------------------------------------
def test_an_image_as_data_is_stored_once_without_metadata_and_named_by_its_bytes(
    project: Project, tmp_path: Path
) -> None:
    from PIL.PngImagePlugin import PngInfo

    about = PngInfo()
    about.add_text("Comment", "taken at home")
    data = picture(pnginfo=about)
    log = [message({"type": "text", "text": "Look:"}, part(url(data)), part(url(data)))]
    report = imported(project, tmp_path, log, [*log, {"role": "assistant", "content": "Yes."}])
    assert (report.kept, report.rejected) == (2, 0)
    file = MediaFile.objects.get()
    assert (file.name, file.type, file.width) == (name_of(data), "image/png", 4)
    stored = client_of(make_member(project, role="lead").user).get(f"/p/own/files/{file.link}/")
    assert opened(b"".join(stored.streaming_content)).info == {}
    shown = {"type": "image_url", "image_url": {"url": name_of(data), "detail": "high"}}
    assert log_of()[0]["content"] == [{"type": "text", "text": "Look:"}, shown, shown]
    assert imported(project, tmp_path, log).duplicates == 1


@pytest.mark.parametrize(
    ("held", "kept"),
    [
        ({"type": "input_image", "image_url": "{url}"}, {"type": "input_image", "image_url": "{name}"}),
        ({"type": "image", "image": "{url}"}, {"type": "image", "image": "{name}"}),
        (
            {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "{data}"},
            {"type": "uri", "modality": "image", "mime_type": "image/png", "uri": "{name}"},
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "{data}"}},
            {"type": "image", "source": {"type": "url", "url": "{name}"}},
        ),
    ],
)
def test_other_ways_of_holding_an_image_are_read(
    project: Project, tmp_path: Path, held: dict[str, Any], kept: dict[str, Any]
) -> None:
    data = picture()
    words = {"{url}": url(data), "{data}": b64encode(data).decode(), "{name}": name_of(data)}

    def filled(value: Any) -> Any:
        text = json.dumps(value)
        for word, meant in words.items():
            text = text.replace(word, meant)
        return json.loads(text)

    assert imported(project, tmp_path, [message(filled(held))]).kept == 1
    assert log_of()[0]["content"] == [filled(kept)]


def test_images_in_spans_and_in_the_json_of_a_cell_are_read(project: Project, tmp_path: Path) -> None:
    data = picture()
    said = [{"role": "user", "parts": [part(url(data))]}]
    otlp = [{"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(said)}}]
    spans = [{"name": "chat", "attributes": {"gen_ai.input.messages": said}}, {"attributes": otlp}]
    assert imported(project, tmp_path, spans, json.dumps([message(part(url(data)))])).kept == 2
    assert "base64" not in json.dumps(log_of(0)) + log_of(1)
    assert MediaFile.objects.count() == 1
    first, second = log_of(0)
    assert first["name"] == "chat"
    assert json.loads(second["attributes"]["gen_ai.input.messages"])[0]["parts"][0]["image_url"]["url"] == name_of(data)


def test_the_page_draws_it_and_calls_it_by_its_number(project: Project, tmp_path: Path) -> None:
    imported(project, tmp_path, [message(part(url(picture())), part(url(picture(colour="blue"))))])
    page = client_of(make_member(project).user).post("/p/own/work/next/", follow=True).content.decode()
    assert page.count("<img") == 2
    assert 'alt="Image 1"' in page
    assert 'alt="Image 2"' in page


def test_models_are_sent_them_in_order(project: Project, tmp_path: Path) -> None:
    red, blue = picture(), picture(colour="blue")
    imported(project, tmp_path, [message(part(url(red)), part(url(blue)))])
    prompts = Prompts({("answers", "en"): "{{ material }}{{ questions }}"}, takes_images=True)
    asked = project.kind.own_questions.question({"log": log_of()}, prompts, language="en")
    assert [image.name for image in asked.images] == [name_of(red), name_of(blue)]
    assert "base64" not in json.dumps(asked.messages)


def test_models_never_read_data_of_transcripts_from_before(project: Project) -> None:
    log = [message({"type": "text", "text": "Look."}, part(url(picture())))]
    prompts = Prompts({("answers", "en"): "{{ material }}{{ questions }}"}, takes_images=True)
    text = json.dumps(project.kind.own_questions.question({"log": log}, prompts, language="en").messages)
    assert ("base64" in text, "image/png" in text, "Look." in text) == (False, True, True)


# --- what is refused, and what stays --------------------------------------------------------------------------------
def test_the_type_is_that_of_the_content(project: Project, tmp_path: Path) -> None:
    data = picture("JPEG")
    assert imported(project, tmp_path, [message(part(url(data, "image/png")))]).kept == 1
    assert MediaFile.objects.values_list("name", "type").get() == (name_of(data, "jpeg"), "image/jpeg")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (url(SVG, "image/svg+xml"), "holds HTML, SVG or XML"),
        (url(SVG, "image/png"), "holds HTML, SVG or XML"),
        (url(b"%PDF-1.7", "image/png"), "is none of these: PNG, JPEG, WebP, GIF."),
        (url(picture(size=(300, 300)))[:-30], "has incomplete or damaged base64"),
        (url(picture(size=(300, 300), colour="blue")[:200]), "is incomplete or damaged"),
        (url(picture(size=(20_001, 1))), "has more than 40 million pixels"),
        (url(b""), "is none of these"),
        ("data:image/png,%89PNG", "is not in base64"),
        ("DATA:image/png;base64,@@@@", "has incomplete or damaged base64"),
    ],
)
def test_what_is_no_sound_image_is_refused_with_its_place(
    project: Project, tmp_path: Path, address: str, why: str
) -> None:
    log = [{"role": "system", "content": "Go."}, message({"type": "text", "text": "Look:"}, part(address))]
    report = imported(project, tmp_path, log)
    ((place, told),) = refusals(report)
    assert place == "log[1].content[1]"
    assert told.startswith(f"has an image as data that {why}")
    assert (Item.objects.count(), MediaFile.objects.count()) == (0, 0)
    assert refusals(imported(project, tmp_path, log, dry_run=True)) == [(place, told)]


def test_a_row_of_twenty_megabytes_is_refused_before_anything_is_decoded(project: Project, tmp_path: Path) -> None:
    report = imported(project, tmp_path, [message(part("data:image/png;base64," + "A" * 20_000_000))])
    assert (report.kept, MediaFile.objects.count()) == (0, 0)
    assert "The row is longer than 8 MiB" in str(report.as_json()["problems"])


def test_thousands_of_images_are_stored_as_the_few_that_they_are(project: Project, tmp_path: Path) -> None:
    parts = [part(url(picture(colour=colour))) for colour in ("red", "blue") for _time in range(2000)]
    assert imported(project, tmp_path, [message(*parts)]).kept == 1
    assert MediaFile.objects.count() == 2
    page = client_of(make_member(project).user).post("/p/own/work/next/", follow=True).content.decode()
    assert page.count("<img") == 100


def test_data_urls_in_texts_and_arguments_stay_as_they_are(project: Project, tmp_path: Path) -> None:
    address = url(picture())
    call = {"id": "c", "function": {"name": "show", "arguments": json.dumps(part(address))}}
    log = [
        {"role": "user", "content": address},
        message({"type": "text", "text": address}, address),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        message({"type": "file", "file": {"file_data": url(b"%PDF-1.7", "application/pdf"), "filename": "a.pdf"}}),
    ]
    assert imported(project, tmp_path, log).kept == 1
    assert log_of() == log
    assert not MediaFile.objects.exists()


def test_a_preview_reads_the_heads_of_images_and_stores_nothing(project: Project) -> None:
    reader = RowReader(project, "rows.jsonl", Settings("jsonl"))
    assert not reader.read(ImportRow(1, {"log": [message(part(url(picture())))]})).problems
    assert reader.read(ImportRow(2, {"log": [message(part(url(SVG)))]})).rejected
    assert not MediaFile.objects.exists()
