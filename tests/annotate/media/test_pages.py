"""The page of files and the address of one: who may see it, and with which headers."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotate.errors import Refused
from annotate.intake import file_pages
from annotate.media import storage
from annotate.media.actions import add, add_all, remove_unnamed
from annotate.models import AuditEntry, Batch, Item, MediaFile, Project
from annotate.project.actions import create_project
from tests.support.pages import client_of
from tests.support.people import make_item, make_member, make_project
from tests.support.pictures import pdf, picture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_folder")]

TEXT = """show:
  - {field: before, as: image, alt: caption, title: Before}
  - {field: after, as: image, optional: true}
  - {field: report, as: file, optional: true}
questions: [{name: ok, type: choice, options: [good, bad]}]
"""


@pytest.fixture
def project() -> Project:
    project: Project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    return project


def stored(project: Project, name: str = "a.png", data: bytes | None = None) -> MediaFile:
    return add(project=project, name=name, data=data or picture(), by=None)[0]


def item_naming(project: Project, **columns: Any) -> Item:
    return make_item(project, facts={"before": "a.png"} | columns)


def address(file: MediaFile) -> str:
    return f"/p/{file.project.slug}/files/{file.link}/"


# --- storing --------------------------------------------------------------------------------------------------------
def test_a_content_is_stored_once_in_a_project(project: Project) -> None:
    first, second = stored(project), stored(project, "b.png")
    assert first.sha256 == second.sha256
    assert first.link != second.link
    assert len(storage.media_storage().listdir(f"{project.pk}/{first.sha256[:2]}")[1]) == 1
    assert add(project=project, name="./a.png", data=picture(), by=None) == (first, False)


def test_a_name_keeps_its_content(project: Project) -> None:
    stored(project)
    with pytest.raises(Refused, match=r"a\.png.*another content.*another name"):
        stored(project, data=picture(colour="blue"))


def test_what_cannot_be_stored_is_named(project: Project) -> None:
    added = add_all(project=project, files=[("ok.png", picture()), ("x.png", b"<svg/>"), ("../y", b"a")], by=None)
    assert added.new == ["ok.png"]
    assert re.match("“x.png” holds HTML, SVG or XML", added.refused[0])
    assert re.match(r"“\.\./y” leads out", added.refused[1])
    assert AuditEntry.objects.filter(verb="files.added").count() == 1


def test_files_that_no_item_names_are_removed_with_bytes_that_nobody_shares(project: Project) -> None:
    kept, _twin = stored(project), stored(project, "twin.png")
    gone = stored(project, "gone.png", picture(colour="blue"))
    item_naming(project)
    assert remove_unnamed(project) == 2
    assert list(MediaFile.objects.values_list("name", flat=True)) == ["a.png"]
    assert storage.media_storage().exists(kept.stored_as)
    assert not storage.media_storage().exists(gone.stored_as)


# --- serving --------------------------------------------------------------------------------------------------------
def test_an_image_is_shown_with_headers_that_let_it_do_nothing(project: Project) -> None:
    file = stored(project)
    answer = client_of(make_member(project, "viewer").user).get(address(file))
    assert b"".join(answer) == storage.opened(file.stored_as).read()
    assert answer["Content-Type"] == "image/png"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "private, no-cache"
    assert answer["Content-Disposition"] == "inline"
    assert "a.png" not in str(answer.headers)


def test_a_browser_that_has_it_is_told_so(project: Project) -> None:
    file = stored(project)
    client = client_of(make_member(project, "viewer").user)
    answer = client.get(address(file), headers={"If-None-Match": f'"{file.sha256}"'})
    assert (answer.status_code, answer["ETag"]) == (304, f'"{file.sha256}"')


@pytest.mark.parametrize(("name", "data"), [("说明.txt", b"hello"), ("page.pdf", pdf())])
def test_anything_else_is_saved_under_its_name(project: Project, name: str, data: bytes) -> None:
    answer = client_of(make_member(project, "lead").user).get(address(stored(project, f"texts/{name}", data)))
    assert answer["Content-Disposition"].startswith("attachment; filename")
    assert "texts" not in answer["Content-Disposition"]
    assert answer["Content-Type"] in ("text/plain; charset=utf-8", "application/pdf")


def test_annotators_see_files_of_their_own_items_only(project: Project) -> None:
    file, other = stored(project), stored(project, "b.png", picture(colour="blue"))
    item_naming(project)
    client = client_of(make_member(project).user)
    assert client.get(address(file)).status_code == 404
    client.post("/p/own/work/next/")
    assert client.get(address(file)).status_code == 200
    assert client.get(address(other)).status_code == 404


def test_members_of_other_projects_see_none(project: Project) -> None:
    file = stored(project)
    other: Project = create_project(slug="other", kind="form", definition=TEXT, reviews=0)
    lead = client_of(make_member(other, "lead").user)
    assert lead.get(address(file)).status_code == 404
    assert lead.get(f"/p/other/files/{file.link}/").status_code == 404
    assert Client().get(address(file)).status_code == 302


def test_a_file_whose_bytes_are_gone_is_not_there(project: Project) -> None:
    file = stored(project)
    storage.media_storage().delete(file.stored_as)
    assert client_of(make_member(project, "lead").user).get(address(file)).status_code == 404


# --- the page -------------------------------------------------------------------------------------------------------
def test_a_lead_adds_several_files_at_once(project: Project) -> None:
    lead = client_of(make_member(project, "lead").user)
    files = [SimpleUploadedFile("a.png", picture()), SimpleUploadedFile("b.html", picture("JPEG"), "text/html")]
    assert lead.post("/p/own/files/", {"chosen": files}).status_code == 302
    page = lead.get("/p/own/files/").content.decode()
    assert "2 files added." in page
    assert page.count("4 × 3") == 2
    assert set(MediaFile.objects.values_list("type", flat=True)) == {"image/png", "image/jpeg"}


def test_a_refused_file_is_named_and_the_others_are_added(project: Project) -> None:
    lead = client_of(make_member(project, "lead").user)
    files = [SimpleUploadedFile("a.png", picture()), SimpleUploadedFile("cat.png", b"<html>hello</html>")]
    answer = lead.post("/p/own/files/", {"chosen": files})
    assert answer.status_code == 422
    assert "“cat.png” holds HTML, SVG or XML" in answer.content.decode()
    assert MediaFile.objects.count() == 1
    assert lead.post("/p/own/files/", {}).status_code == 422


def test_a_lead_removes_what_no_item_names(project: Project) -> None:
    lead = client_of(make_member(project, "lead").user)
    stored(project)
    running = Batch.objects.create(project=project, file_name="rows.jsonl", state="running")
    assert "An import is running" in lead.post("/p/own/files/remove/", follow=True).content.decode()
    running.delete()
    assert "1 file removed." in lead.post("/p/own/files/remove/", follow=True).content.decode()
    assert not MediaFile.objects.exists()


def test_what_would_be_removed_is_counted_before(project: Project) -> None:
    lead = client_of(make_member(project, "lead").user)
    stored(project)
    stored(project, "b.png", picture(colour="blue"))
    item_naming(project)
    assert "Remove 1 file that no item names?" in lead.get("/p/own/files/remove/").content.decode()
    lead.post("/p/own/files/remove/")
    assert MediaFile.objects.get().name == "a.png"
    answer = lead.get("/p/own/files/remove/", follow=True)
    assert "there is none to remove" in answer.content.decode()


def test_files_are_found_by_a_part_of_their_name(
    project: Project, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead = client_of(make_member(project, "lead").user)
    assert "No file yet." in lead.get("/p/own/files/").content.decode()
    for name in ("cats/a.png", "cats/b.png", "dogs/a.png"):
        stored(project, name)
    page = lead.get("/p/own/files/").content.decode()
    assert re.search(r"3 files, \d+\xa0bytes", page)
    assert 'id="media-q"' not in page
    monkeypatch.setattr(file_pages, "FILES_PER_PAGE", 1)
    with django_assert_max_num_queries(12):
        page = lead.get("/p/own/files/?q=Cats").content.decode()
    assert "cats/a.png" in page
    assert "cats/b.png" not in page
    assert "?q=Cats&amp;page=2" in page
    assert "No name contains this text." in lead.get("/p/own/files/?q=birds").content.decode()


def test_kinds_in_code_have_no_files() -> None:
    make_member(project := make_project(slug="fb"), "lead")
    lead = client_of(project.members.get().user)
    assert lead.get("/p/fb/files/").status_code == 404
    assert lead.get("/p/fb/files/remove/").status_code == 404
    assert lead.post("/p/fb/files/remove/").status_code == 404


# --- the work page --------------------------------------------------------------------------------------------------
def work_page(project: Project, **columns: Any) -> str:
    item_naming(project, **columns)
    client = client_of(make_member(project).user)
    return client.post(f"/p/{project.slug}/work/next/", follow=True).content.decode()


def test_two_images_stand_side_by_side_and_can_be_enlarged(project: Project) -> None:
    file = stored(project)
    stored(project, "x/b.png", picture(colour="blue"))
    page = work_page(project, after="x/b.png", caption="<b>A red field</b>")
    assert page.count('class="pictures"') == 1
    assert f'src="{address(file)}" alt="&lt;b&gt;A red field&lt;/b&gt;"' in page
    assert page.count('width="4" height="3"') == 2
    assert 'alt="b.png"' in page
    assert page.count('class="unseen picture__zoom" type="checkbox"') == 2
    assert 'aria-label="Enlarge: b.png"' in page


def test_a_file_is_a_link_with_name_type_and_size(project: Project) -> None:
    stored(project)
    report = stored(project, "docs/report.pdf", pdf())
    page = work_page(project, report="docs/report.pdf")
    assert f'href="{address(report)}?save=1" download' in page
    assert re.search(rf"report\.pdf\s*</a>\s*<span[^>]*>\s*PDF · {report.size}\xa0bytes", page)


def test_a_file_that_is_not_there_is_named(project: Project) -> None:
    assert "The file “a.png” is not in this project." in work_page(project)


def test_compared_images_do_not_show_their_names() -> None:
    text = """show: [{field: one, as: image}, {field: two, as: image}]
questions: [{name: better, type: pair, of: [one, two]}]
"""
    project: Project = create_project(slug="pair", kind="form", definition=text, reviews=0)
    stored(project, "model-x.png")
    stored(project, "model-y.png", picture(colour="blue"))
    make_item(project, facts={"one": "model-x.png", "two": "model-y.png"}, title="…")
    page = client_of(make_member(project).user).post("/p/pair/work/next/", follow=True).content.decode()
    assert page.count("<img") == 2
    assert "model-" not in page
