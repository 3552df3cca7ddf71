import gzip
import json
from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from annotate.chores import make_release
from annotate.models import Annotation, Endpoint, Item, Project, Run
from annotate.releases import actions
from annotate.releases.actions import ReleaseFilters
from judging.answers import pages as views
from judging.answers.queries import answers_page
from judging.models import Answer, Author
from tests.support.desks import colleague
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.pages import following, html_of, said, text_of
from tests.support.people import make_project
from tests.support.runs import make_endpoint, make_jobs, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def lead(project: Project) -> Client:
    return colleague(project, "lead").client


def at(project: Project, name: str, *args: object) -> str:
    return reverse(name, args=[project.slug, *args])


# --- authors ----------------------------------------------------------------------------------------------------------
def test_every_author_stands_with_what_they_have_answered(project: Project, lead: Client) -> None:
    items = [decided_item(project, CORRECTION) for _ in range(3)]
    for item in items[:2]:
        answer_of(item, "Model A", text="x" * 1200)
    failed = make_run(project, purpose="answer", options={"author": "Model A"})
    make_jobs(failed, items=items[2:], causes={"empty": 1})
    Author.objects.filter(name="Model A").update(sort="person", family="Moons", provider="Home")
    html = html_of(lead, at(project, "answers"))
    assert "1 author 3 accepted items" in said(html)
    assert "Model A Person Moons Home" in said(html)
    assert "2 of 3" in said(html)
    assert "1,200 · 1,200" in said(html)
    assert f'href="{at(project, "run_jobs", failed.pk)}?state=failed">1</a>' in html


def test_many_authors_are_on_several_pages(project: Project, lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "AUTHORS_PER_PAGE", 1)
    for name in ("Model A", "Model B"):
        answer_of(decided_item(project, CORRECTION), name)
    html = html_of(lead, at(project, "answers"))
    assert "2 authors" in said(html)
    assert "Model B" not in html
    assert 'href="?page=2" rel="next"' in html


def test_nobody_has_answered_at_first(project: Project, lead: Client) -> None:
    assert "No answers yet" in html_of(lead, at(project, "answers"))
    viewer = colleague(project, "viewer").client
    assert "The lead imports answers" in html_of(viewer, at(project, "answers"))


def test_only_leads_are_led_to_what_leads_do(project: Project, lead: Client) -> None:
    answer_of(decided_item(project, CORRECTION), "A")
    for name in ("answers_import", "run_new"):
        assert at(project, name) in html_of(lead, at(project, "answers"))
        for role in ("viewer", "reviewer"):
            assert at(project, name) not in html_of(colleague(project, role).client, at(project, "answers"))


def test_the_list_of_authors_takes_the_same_queries_for_many(
    project: Project, lead: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    item = decided_item(project, CORRECTION)
    for number in range(27):
        answer_of(item, f"Model {number}")
    with django_assert_max_num_queries(12):
        assert html_of(lead, at(project, "answers")).count('class="row-link"') == 27


# --- one author -------------------------------------------------------------------------------------------------------
def test_an_authors_answers_are_searched_and_paged(
    project: Project, lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        answer_of(decided_item(project, CORRECTION), "A", text=f"moon number {number}")
    monkeypatch.setattr(views, "answers_page", partial(answers_page, size=2))
    address = at(project, "answer_author", Author.objects.get().pk)
    first = html_of(lead, address)
    assert ("moon number 0" in first, "moon number 2" in first) == (True, False)
    second = html_of(lead, following(first, "next"))
    assert ("moon number 0" in second, "moon number 2" in second) == (False, True)
    assert "moon number 0" in html_of(lead, following(second, "prev"))
    searched = html_of(lead, f"{address}?q=number+1")
    assert ("moon number 1" in searched, "moon number 0" in searched) == (True, False)
    assert "No matching answers." in html_of(lead, f"{address}?q=Saturn")


@pytest.mark.parametrize("place", ["x", "1", "1-", "1-x", "-1-1", "9" * 30 + "-1"])
def test_a_place_that_there_cannot_be_is_said(place: str, project: Project, lead: Client) -> None:
    answer_of(decided_item(project, CORRECTION), "A")
    address = at(project, "answer_author", Author.objects.get().pk)
    assert "This page number is not valid." in html_of(lead, f"{address}?after={place}", status=422)


def test_a_lead_says_what_an_author_is_and_nobody_else_does(project: Project, lead: Client) -> None:
    author = Author.objects.create(project=project, name="A")
    address = at(project, "answer_author", author.pk)
    asked = {"sort": "gold", "family": "Own", "provider": "Us", "name": "B"}
    assert colleague(project, "reviewer").client.post(address, asked).status_code == 403
    assert lead.post(address, asked).status_code == 302
    author.refresh_from_db()
    assert (author.name, author.sort, author.family, author.provider) == ("A", "gold", "Own", "Us")
    refused = lead.post(address, {"sort": "robot"})
    assert refused.status_code == 422
    author.refresh_from_db()
    assert author.sort == "gold"


# --- one answer -------------------------------------------------------------------------------------------------------
def test_an_answer_stands_after_its_conversation_with_its_origin(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    run = make_run(project, purpose="answer", endpoint=make_endpoint(model="moon-m"))
    make_jobs(run, items=[item], done=1)
    old = answer_of(item, "Model A", text="old", job=run.jobs.get())
    new = answer_of(item, "Model A", version=2, text="**two** <b>moons</b>", source="file.jsonl", note="Odd one.")
    other = answer_of(item, "Model A", sample=2)
    html = html_of(lead, at(project, "answer", new.pk))
    assert "<strong>two</strong> &lt;b&gt;moons&lt;/b&gt;" in html
    for text in (item.facts["user_query"], item.facts["origin_first_response"], CORRECTION["feedback"]):
        assert text in html
    assert "File file.jsonl" in said(html)
    assert "Odd one." in said(html)
    for beside in (old, other):
        assert f'href="{at(project, "answer", beside.pk)}"' in html
    older = html_of(lead, at(project, "answer", old.pk))
    assert "This is an older version." in older
    assert at(project, "run", run.pk) in older
    assert "Model moon-m" in said(older)
    viewer = html_of(colleague(project, "viewer").client, at(project, "answer", old.pk))
    assert at(project, "run", run.pk) not in viewer


def test_an_answer_without_text_or_conversation_says_why(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    answer = answer_of(item, "A", text="", known=False)
    Item.objects.filter(pk=item.pk).update(state="ready")
    text = text_of(lead.get(at(project, "answer", answer.pk)))
    assert "never published" in text
    assert "not currently accepted" in text


def test_a_draft_that_does_not_read_any_more_hides_no_answer(project: Project, lead: Client) -> None:
    answer = answer_of(decided_item(project, CORRECTION), "A", text="Still here.")
    Annotation.objects.update(draft={"odd": 1})
    assert "Still here." in html_of(lead, at(project, "answer", answer.pk))


def test_answers_and_authors_of_other_projects_are_not_there(project: Project, lead: Client) -> None:
    answer = answer_of(decided_item(make_project(), CORRECTION), "A")
    for address in (at(project, "answer", answer.pk), at(project, "answer_author", answer.author_id)):
        assert lead.get(address).status_code == 404


# --- taking files in --------------------------------------------------------------------------------------------------
def upload(lead: Client, project: Project, *rows: Any, name: str = "answers.jsonl", **given: Any) -> Any:
    content = "\n".join(json.dumps(row) for row in rows).encode()
    return lead.post(at(project, "answers_import"), {"file": SimpleUploadedFile(name, content), **given})


def test_an_upload_is_imported_and_reported(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    answer = upload(
        lead, project, {"key": item.key, "author": "A", "text": "Two."}, {"key": "no", "author": "A", "text": "x"}
    )
    assert answer.status_code == 200
    assert "Rows read 2 Kept 1 Duplicates 0 Rejected 1" in text_of(answer)
    assert "There is no item with the key “no”" in text_of(answer)
    assert Answer.objects.get().source == "answers.jsonl"


def test_a_look_at_a_file_writes_nothing(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    answer = upload(lead, project, {"key": item.key, "author": "A", "text": "Two."}, dry_run="on")
    assert "nothing was saved" in text_of(answer)
    assert "Kept 1" in text_of(answer)
    assert not Answer.objects.exists()


def test_a_file_that_cannot_be_read_or_is_missing_is_refused_in_words(project: Project, lead: Client) -> None:
    broken = lead.post(
        at(project, "answers_import"), {"file": SimpleUploadedFile("a.jsonl.gz", gzip.compress(b"x" * 99)[:12])}
    )
    assert broken.status_code == 422
    assert "is incomplete" in text_of(broken)
    assert lead.post(at(project, "answers_import"), {}).status_code == 422


def test_a_file_larger_than_uploads_may_be_is_refused(project: Project, lead: Client, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 10
    item = decided_item(project, CORRECTION)
    assert upload(lead, project, {"key": item.key, "author": "A", "text": "Two."}).status_code == 422
    assert not Answer.objects.exists()


def upload_text(lead: Client, project: Project, name: str, text: str) -> str:
    file = SimpleUploadedFile(name, text.encode())
    return said(lead.post(at(project, "answers_import"), {"file": file, "dry_run": "on"}).content.decode())


@pytest.mark.parametrize(("name", "sign"), [("a.csv", ","), ("a.tsv", "\t")])
def test_a_table_is_read_by_the_names_of_its_columns(project: Project, lead: Client, name: str, sign: str) -> None:
    item = decided_item(project, CORRECTION)
    table = "\n".join(sign.join(row) for row in (("key", "author", "text", "sample"), (item.key, "A", "Two.", "2")))
    page = upload_text(lead, project, name, table)
    assert "Kept 1" in page
    assert "No problems." in page
    assert f"First answers A 1 key author sample text {item.key} A 2 Two." in page


def test_usual_names_of_columns_are_read_and_others_are_named(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    page = upload_text(lead, project, "a.csv", f"id,model,response,topic\n{item.key},A,Two.,moons\n")
    assert "Kept 1" in page
    assert "author is read from the column model. key is read from the column id." in page
    assert "Columns that answers do not have are not read: topic." in page
    assert "provenance" not in page


def test_an_answer_to_an_item_that_is_not_accepted_is_kept_with_a_note(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    Item.objects.filter(pk=item.pk).update(state="ready")
    page = text_of(upload(lead, project, {"key": item.key, "author": "A", "text": "Two."}))
    assert "Kept 1" in page
    assert f"The item “{item.key}” is not accepted" in page


def test_the_example_of_a_file_has_keys_of_the_project(project: Project, lead: Client) -> None:
    item = decided_item(project, CORRECTION)
    answer = lead.get(at(project, "answers_import") + "?example=csv")
    assert answer["Content-Disposition"] == f'attachment; filename="{project.slug}-answers.csv"'
    assert f'"{item.key}","model-x"' in answer.content.decode()
    assert "Kept 1" in upload_text(lead, project, "filled.csv", answer.content.decode().removeprefix("\ufeff"))


# --- generating -------------------------------------------------------------------------------------------------------
def test_answers_are_planned_in_the_form_of_runs(project: Project, lead: Client) -> None:
    make_endpoint(name="sim")
    item = decided_item(project, CORRECTION)
    html = html_of(lead, f"{at(project, 'run_new')}?run-purpose=answer&run-option-author=Model+A")
    assert 'name="run-option-author" value="Model A"' in html
    asked = {"run-purpose": "answer", "run-endpoint": "sim", "run-option-author": "Model A", "run-option-samples": "2"}
    asked |= {"run-option-temperature": "number", "run-option-number": "0.3", "run-option-sort": "model"}
    answer = lead.post(at(project, "run_new"), asked)
    assert answer.status_code == 302, text_of(answer)
    run = Run.objects.get()
    assert {key: run.options[key] for key in ("author", "samples", "temperature", "number")} == {
        "author": "Model A",
        "samples": 2,
        "temperature": "number",
        "number": 0.3,
    }
    assert list(run.jobs.values_list("item", flat=True)) == [item.pk, item.pk]
    page = text_of(lead.get(at(project, "run", run.pk)))
    assert "Generate answers" in page


def test_a_plan_without_an_author_is_refused(project: Project, lead: Client) -> None:
    make_endpoint(name="sim")
    refused = lead.post(at(project, "run_new"), {"run-purpose": "answer", "run-endpoint": "sim"})
    assert refused.status_code == 422
    assert not Run.objects.exists()


def test_the_author_follows_the_endpoint_until_somebody_enters_one(project: Project, lead: Client) -> None:
    strong, _weak = make_endpoint(name="strong", model="big-1"), make_endpoint(name="weak", model="small-1")
    decided_item(project, CORRECTION)
    assert 'name="run-option-author" value="big-1"' in html_of(lead, f"{at(project, 'run_new')}?run-purpose=answer")
    make_run(project, endpoint=strong, purpose="answer", options={"author": "Strong one"})
    similar = "?run-purpose=answer&run-endpoint=strong&run-option-author=Strong+one"
    html = html_of(lead, f"{at(project, 'run_new')}{similar}")
    assert 'name="initial-run-option-author" value="Strong one"' in html
    sent = {"run-purpose": "answer", "run-option-samples": "1", "run-option-temperature": "project"}
    sent |= {"initial-run-endpoint": "strong", "initial-run-option-author": "Strong one", "run-option-sort": "model"}

    def author(endpoint: str, entered: str) -> str:
        answer = lead.post(at(project, "run_new"), sent | {"run-endpoint": endpoint, "run-option-author": entered})
        assert answer.status_code == 302, text_of(answer)
        return str(Run.objects.latest("pk").options["author"])

    assert author("weak", "Strong one") == "small-1"
    assert author("strong", "Strong one") == "Strong one"
    assert author("weak", "Another") == "Another"


def test_an_author_in_the_address_alone_does_not_follow(project: Project, lead: Client) -> None:
    make_endpoint(name="a", model="big-1")
    make_endpoint(name="b", model="small-1")
    html = html_of(lead, f"{at(project, 'run_new')}?run-purpose=answer&run-option-author=small-1")
    assert '<option value="b" selected>' in html
    assert "initial-run-option-author" not in html


def test_the_preview_warns_of_answers_of_another_model_under_the_same_author(project: Project, lead: Client) -> None:
    strong, weak = make_endpoint(name="strong"), make_endpoint(name="weak")
    items = [decided_item(project, CORRECTION) for _ in range(3)]
    earlier = make_run(project, endpoint=strong, purpose="answer", state="finished", options={"author": "Strong one"})
    make_jobs(earlier, items=items[:1], done=1)
    answer_of(items[0], "Strong one", job=earlier.jobs.get())
    answer_of(items[1], "Strong one", source="a.jsonl")

    def preview(endpoint: Endpoint) -> str:
        run = make_run(project, endpoint=endpoint, purpose="answer", state="planned", options={"author": "Strong one"})
        return text_of(lead.get(at(project, "run", run.pk)))

    assert "“Strong one” already has 2 answers from elsewhere (strong, files)" in preview(weak)
    assert "“Strong one” already has 1 answer from elsewhere (files)" in preview(strong)
    Answer.objects.all().delete()
    assert "from elsewhere" not in preview(weak)


# --- to a judge -------------------------------------------------------------------------------------------------------
def test_answers_lead_to_a_judge(project: Project, lead: Client) -> None:
    judge = f'<a class="button button--primary" href="{at(project, "run_new")}?run-purpose=judge">'
    assert judge not in html_of(lead, at(project, "answers"))
    item = decided_item(project, CORRECTION)
    answer_of(item, "A")
    assert judge in html_of(lead, at(project, "answers"))
    run = make_run(project, purpose="answer", state="running", options={"author": "A"})
    make_jobs(run, items=[item], done=1)
    assert judge not in html_of(lead, at(project, "run", run.pk))
    Run.objects.update(state="finished")
    assert judge in html_of(lead, at(project, "run", run.pk))


def test_a_release_leads_to_answers_of_models(project: Project, lead: Client) -> None:
    decided_item(project, CORRECTION)
    make_release.work(actions.plan(project=project, filters=ReleaseFilters(), by=None).pk)
    address = at(project, "release", 1)
    assert f'href="{at(project, "run_new")}?run-purpose=answer"' in html_of(lead, address)
    assert "run-purpose=answer" not in html_of(colleague(project, "viewer").client, address)


def test_where_all_endpoints_are_simulated_pages_of_runs_say_how_real_ones_come(project: Project, lead: Client) -> None:
    make_endpoint(name="sim", simulated=True)
    addresses = (at(project, "runs"), f"{at(project, 'run_new')}?run-purpose=answer")
    for address in addresses:
        assert "An administrator can add an endpoint of a real model." in html_of(lead, address)
    make_endpoint(name="real")
    for address in addresses:
        assert 'id="only-simulated"' not in html_of(lead, address)
    form = html_of(lead, addresses[1])
    assert form.index('<option value="real"') < form.index('<optgroup label="Simulated, to try things out">')
