import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from annotate.intake import report
from annotate.models import Item, Project
from judging.intake import pages
from judging.models import Verdict
from tests.judging.intake.test_importing import compact, sample
from tests.support.files import jsonl
from tests.support.pages import client_of
from tests.support.people import make_member, make_project
from tests.support.voted import by_judge, on_a_pair

pytestmark = pytest.mark.django_db
PAGE = "/p/fb/judgements/import/"


@pytest.fixture
def project() -> Project:
    return make_project(slug="fb")


@pytest.fixture
def lead(project: Project) -> Client:
    return client_of(make_member(project, "lead").user)


def upload(client: Client, content: bytes, *, name: str = "said.jsonl", **given: Any) -> HttpResponse:
    return client.post(PAGE, {"format": "fbbench", "file": SimpleUploadedFile(name, content)} | given)


def test_the_page_asks_for_a_file_and_its_format(lead: Client) -> None:
    page = lead.get(PAGE).content.decode()
    assert 'enctype="multipart/form-data"' in page
    assert "FB-Bench, compact or raw" in page


def test_what_became_of_the_rows_stands_on_the_page(
    lead: Client, project: Project, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    sample(project, 0)
    rows = [compact(first="是", score=1), compact(4, first="是"), compact(author="<b>bea</b>", first="是", second="否")]
    answer = upload(lead, jsonl(rows), name="<script>.jsonl")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Collapsed verdict: 1 of 2 questions" in page
    assert "no item with the key “fbbench-0004”" in page
    assert 'id="differences"' in page
    assert Verdict.objects.count() == 2
    assert list(report.folder("uploads").iterdir()) == []  # nothing of the file stays
    assert Verdict.objects.first().source == "<script>.jsonl"


def test_what_cannot_be_read_is_told(lead: Client) -> None:
    answer = upload(lead, b"\x89PNG\r\n\x1a\n\x00\x00")
    assert answer.status_code == 422
    assert "Nothing was imported" in answer.content.decode()


def test_a_missing_file_or_format_is_a_bad_form(lead: Client) -> None:
    assert lead.post(PAGE, {"format": "fbbench"}).status_code == 422
    assert upload(lead, jsonl([compact(first="是")]), format="nothing").status_code == 422
    assert not Verdict.objects.exists()


def test_too_large_a_file_is_for_the_command(lead: Client, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_BYTES", 10)
    sample(project, 0)
    answer = upload(lead, jsonl([compact(first="是", second="否")]))
    assert answer.status_code == 422
    assert "import_judgements" in answer.content.decode()
    assert not Verdict.objects.exists()


def test_a_long_list_of_problems_is_cut_and_counted(
    lead: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SHOWN", 2)
    page = upload(lead, jsonl([compact(number, first="是") for number in range(3)])).content.decode()
    assert "1 more problem is not listed." in page


def test_a_problem_of_many_rows_is_one_line(lead: Client, project: Project) -> None:
    page = upload(lead, jsonl([compact(number, first="是") for number in range(5)])).content.decode()
    assert page.count("no item with the key") == 1
    assert "5 like this, on lines 1, 2, 3, 4, 5" in page


@pytest.mark.parametrize("role", ["annotator", "reviewer", "viewer"])
def test_only_leads_bring_judgements(project: Project, role: str) -> None:
    client = client_of(make_member(project, role).user)
    assert client.get(PAGE).status_code == 403
    assert upload(client, b"").status_code == 403


def test_strangers_see_nothing(project: Project) -> None:
    assert client_of(make_member(make_project(), "lead").user).get(PAGE).status_code == 404


def test_where_nobody_answers_there_is_no_such_page(
    lead: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(project.kind), "judges_answers", False)
    assert lead.get(PAGE).status_code == 404


class TestFilesOfVotes:
    """Items, votes and verdicts come in at once, into projects of the kinds that can hold them."""

    def lead_of(self, kind: str) -> Client:
        return client_of(make_member(make_project(slug="fb", kind_slug=kind), "lead").user)

    @pytest.mark.parametrize(
        ("kind", "formats"),
        [
            ("preference", {"autoj", "battles", "llmfao", "mtbench", "pandalm", "ratings"}),
            ("score_vote", {"ratings"}),
            ("branching", {"autoj", "mtbench", "pandalm", "ratings"}),
            ("feedback", {"fbbench", "fbi"}),
        ],
    )
    def test_each_kind_is_offered_its_formats(self, kind: str, formats: set[str]) -> None:
        page = self.lead_of(kind).get(PAGE).content.decode()
        found = set(re.findall(r'<option value="(\w+)">', page))
        assert formats <= found
        assert ("ratings" in found, "battles" in found) == ("ratings" in formats, kind == "preference")
        assert ('name="labels"' in page) == ("autoj" in formats or "ratings" in formats)

    def test_whose_verdicts_they_are_is_asked_for_files_that_do_not_say_it(self, tmp_path: Path, settings: Any) -> None:
        settings.DATA_DIR = tmp_path
        lead, table = self.lead_of("preference"), b"id,prompt,winner,left,right\n0,8,left,model-a,model-b\n"
        assert "does not name the judge" in upload(lead, table, name="pairs.csv", format="llmfao").content.decode()
        assert upload(lead, table, name="pairs.csv", format="llmfao", judge="judge-x").status_code == 200
        assert Verdict.objects.get().judge.name == "judge-x"
        assert upload(lead, table, name="pairs.csv", format="llmfao", judge="x" * 121).status_code == 422

    def test_a_kind_without_formats_has_no_page_and_no_link(self) -> None:
        lead = self.lead_of("checklist_vote")
        assert lead.get(PAGE).status_code == 404
        assert PAGE not in lead.get("/p/fb/agreement/").content.decode()

    def test_a_file_comes_in_with_its_labels_as_told(self, tmp_path: Path, settings: Any) -> None:
        settings.DATA_DIR = tmp_path
        lead, rows = self.lead_of("preference"), jsonl([on_a_pair(), *by_judge(straight="first", swapped="first")])
        page = upload(lead, rows, format="ratings", labels="exchanged").content.decode()
        assert 'href="/p/fb/agreement/"' in page
        assert list(Verdict.objects.order_by("swapped").values_list("choice", flat=True)) == ["first", "second"]
        assert 'href="/p/fb/judgements/import/"' in lead.get("/p/fb/agreement/").content.decode()

    def test_only_looking_and_all_or_nothing_keep_nothing(self, tmp_path: Path, settings: Any) -> None:
        settings.DATA_DIR = tmp_path
        lead = self.lead_of("branching")
        rows = jsonl([on_a_pair(), on_a_pair("q2", "better")])
        looked = upload(lead, rows, format="ratings", doing="dry_run")
        assert (looked.status_code, "Preview: nothing was saved" in looked.content.decode()) == (200, True)
        strict = upload(lead, rows, format="ratings", doing="strict")
        assert (strict.status_code, "because there are errors" in strict.content.decode()) == (422, True)
        assert not Item.objects.exists()
        assert upload(lead, rows, format="ratings").status_code == 200
        assert Item.objects.count() == 2

    def test_votes_that_have_no_place_to_go_to_are_told(self, tmp_path: Path, settings: Any) -> None:
        settings.DATA_DIR = tmp_path
        lead = self.lead_of("branching")
        make_project(slug="fb-votes", kind_slug="feedback")
        answer = upload(lead, jsonl([on_a_pair()]), format="ratings")
        assert (answer.status_code, "is of kind" in answer.content.decode()) == (422, True)
