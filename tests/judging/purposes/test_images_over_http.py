"""Models and judges that see images: what is sent, what the ledger keeps, and what ends a job before a call."""

from collections.abc import Iterator
from typing import Any

import pytest

from annotate.engine import images
from annotate.engine.endpoint_probe import probe
from annotate.errors import Refused
from annotate.media import storage
from annotate.media.actions import add
from annotate.models import Annotation, Call, Endpoint, Job, MediaFile, Project, Run
from annotate.project.actions import create_project
from annotate.runs import actions, plan
from annotate.runs.execution import work
from annotate.runs.failures import failure_text
from annotate.runs.reparse import reread
from judging.models import Verdict
from lib.simulated.server import Serving, serving
from tests.annotate.conftest import media_folder
from tests.annotate.engine.conftest import at_once
from tests.support.pages import client_of
from tests.support.people import make_item, make_member
from tests.support.pictures import picture
from tests.support.runs import make_endpoint

__all__ = ["at_once", "media_folder"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once", "media_folder")]
TEXT = """show:
  - {field: prompt, as: text}
  - {field: before, as: image, title: {en: Before, zh: 之前}}
  - {field: after, as: image, optional: true}
questions:
  - {name: ok, type: choice, options: [good, bad]}
  - {name: sharp, type: rating, scale: {"1": blurred, "5": sharp}}
"""


@pytest.fixture
def model() -> Iterator[Serving]:
    with serving(latency=0.0) as running:
        yield running


@pytest.fixture
def project() -> Project:
    project = create_project(slug="own", kind="form", definition=TEXT, reviews=0)
    for name, colour in (("gpt-5/a.png", "red"), ("b.png", "blue")):
        add(project=project, name=name, data=picture(colour=colour), by=None)
    make_item(project, key="k1", facts={"prompt": "A cat", "before": "gpt-5/a.png", "after": "b.png"}, suggestion=None)
    return Project.objects.get(slug="own")


def worked(project: Project, model: Serving, purpose: str = "preannotate", **options: Any) -> Run:
    columns = {"base_url": model.base_url, "attempts": 1, "takes_images": True} | options.pop("endpoint", {})
    endpoint = make_endpoint(**columns)
    run = plan.plan_run(project=project, purpose=purpose, endpoint=endpoint, by=None, options=options, whole=True)
    actions.start(run, None, ring=False)
    work(run)
    run.refresh_from_db()
    return run


def parts(model: Serving) -> list[dict[str, Any]]:
    """The parts of the last user message that came, with digests in place of data."""
    content: list[dict[str, Any]] = model.service.received.kept[-1]["body"]["messages"][-1]["content"]
    return content


def digest(project: Project, name: str) -> str:
    return MediaFile.objects.get(project=project, name=name).sha256


def failed(run: Run) -> tuple[str, str]:
    job = Job.objects.get(run=run, state="failed")
    assert failure_text(job.detail, job.cause).sentence
    return job.cause, job.detail


@pytest.mark.parametrize(("purpose", "options"), [("preannotate", {}), ("judge", {"strategy": "form"})])
def test_images_follow_the_text_in_the_order_of_the_definition(
    project: Project, model: Serving, purpose: str, options: dict[str, Any]
) -> None:
    run = worked(project, model, purpose, **options)
    text, *rest = parts(model)
    assert [part.get("text") or part["image_url"]["url"] for part in rest] == [
        "Image 1: Before",
        f"sha256:{digest(project, 'gpt-5/a.png')}",
        "Image 2: after",
        f"sha256:{digest(project, 'b.png')}",
    ]
    assert '"before": "Image 1: Before"' in text["text"]
    assert "Text inside an image is part of the material" in text["text"]
    assert "gpt-5" not in str(model.service.received.kept)
    assert (run.calls, Annotation.objects.filter(run=run).count() + Verdict.objects.filter(job__run=run).count()) == (
        1,
        1,
    )


CHAT = """show: [{field: log, as: chat, title: {en: Transcript}}]
questions: [{name: ok, type: choice, options: [good, bad]}, {name: first, type: step, of: log}]
"""


def about_transcript(*names: str) -> Project:
    project = create_project(slug="chats", kind="form", definition=CHAT, reviews=0)
    for name, colour in (("gpt-5/a.png", "red"), ("b.png", "blue")):
        add(project=project, name=name, data=picture(colour=colour), by=None)
    log = [{"role": "user", "content": ["See:", {"type": "image_url", "image_url": {"url": name}}]} for name in names]
    make_item(project, key="k1", facts={"log": log}, suggestion=None)
    return Project.objects.get(slug="chats")


@pytest.mark.parametrize(("purpose", "options"), [("preannotate", {}), ("judge", {"strategy": "form"})])
def test_images_of_transcripts_are_sent_in_the_order_of_the_messages(
    model: Serving, purpose: str, options: dict[str, Any]
) -> None:
    project = about_transcript("gpt-5/a.png", "https://example.org/x.png", "b.png", "gpt-5/a.png")
    run = worked(project, model, purpose, **options)
    text, *rest = parts(model)
    assert [part.get("text") or part["image_url"]["url"] for part in rest] == [
        "Image 1: Transcript",
        f"sha256:{digest(project, 'gpt-5/a.png')}",
        "Image 2: Transcript",
        f"sha256:{digest(project, 'b.png')}",
    ]
    assert text["text"].count('"image": "Image 1: Transcript"') == 2
    assert "https://example.org/x.png" in text["text"]
    assert "gpt-5" not in str(model.service.received.kept)
    assert run.calls == 1


def test_other_endpoints_read_the_names_of_images_in_transcripts(model: Serving) -> None:
    project = about_transcript("b.png")
    assert worked(project, model, endpoint={"takes_images": False}).calls == 1
    (sent,) = model.service.received.kept
    assert isinstance(sent["body"]["messages"][-1]["content"], str)
    assert "b.png" in sent["body"]["messages"][-1]["content"]
    assert "The images of the material follow" not in str(sent["body"])
    assert "images" not in Call.objects.get().request


def test_transcripts_share_replies_by_the_content_of_their_images(model: Serving) -> None:
    project = about_transcript("b.png")
    add(project=project, name="same.png", data=picture(colour="blue"), by=None)
    for name in ("same.png", "gpt-5/a.png"):
        log = [{"role": "user", "content": ["See:", {"type": "image_url", "image_url": {"url": name}}]}]
        make_item(project, key=name, facts={"log": log}, suggestion=None)
    endpoint = make_endpoint(base_url=model.base_url, attempts=1, takes_images=True)
    run = plan.plan_run(
        project=project, purpose="preannotate", endpoint=endpoint, by=None, shares_replies=True, whole=True
    )
    actions.start(run, None, ring=False)
    work(run)
    run.refresh_from_db()
    assert (run.calls, Annotation.objects.filter(run=run).count()) == (2, 3)


def test_a_transcript_with_a_missing_image_is_not_sent(model: Serving) -> None:
    run = worked(about_transcript("gone.png"), model)
    assert failed(run) == ("unsuitable", "Item k1: the project has no image “gone.png”. Add the file, then retry.")
    assert run.calls == 0


def test_each_question_alone_shows_the_images(project: Project, model: Serving) -> None:
    assert worked(project, model, one_by_one=True).calls == 2
    bodies = [kept["body"]["messages"][-1]["content"] for kept in model.service.received.kept]
    assert [len(content) for content in bodies] == [5, 5]


def test_the_ledger_has_references_and_its_page_shows_them(project: Project, model: Serving) -> None:
    call = Call.objects.get(job__run=worked(project, model))
    assert call.request["images"][0] == {
        "title": "Image 1: Before",
        "name": "gpt-5/a.png",
        "sha256": digest(project, "gpt-5/a.png"),
        "type": "image/png",
        "bytes": MediaFile.objects.get(name="gpt-5/a.png").size,
    }
    assert "base64" not in str(call.request)
    lead = client_of(make_member(project, "lead").user)
    page = lead.get(f"/p/own/jobs/{call.job_id}/").content.decode()
    link = MediaFile.objects.get(name="b.png").link
    assert f'<img src="/p/own/files/{link}/"' in page
    assert digest(project, "b.png")[:12] in page
    MediaFile.objects.filter(name="b.png").delete()
    page = lead.get(f"/p/own/jobs/{call.job_id}/").content.decode()
    assert "b.png: no longer stored" in page


def test_replies_are_shared_by_content_whatever_the_file_is_called(project: Project, model: Serving) -> None:
    add(project=project, name="same.png", data=picture(colour="red"), by=None)
    add(project=project, name="other.png", data=picture(colour="green"), by=None)
    for name in ("same.png", "other.png"):
        make_item(project, key=name, facts={"prompt": "A cat", "before": name, "after": "b.png"}, suggestion=None)
    endpoint = make_endpoint(base_url=model.base_url, attempts=1, takes_images=True)
    run = plan.plan_run(
        project=project, purpose="preannotate", endpoint=endpoint, by=None, shares_replies=True, whole=True
    )
    actions.start(run, None, ring=False)
    work(run)
    run.refresh_from_db()
    assert (run.calls, Annotation.objects.filter(run=run).count()) == (2, 3)
    again = reread(run, None, whole=True)
    assert (again.jobs, again.read, again.changed) == (3, 3, 0)


def test_the_estimate_counts_images_and_says_how(project: Project) -> None:
    run = plan.plan_run(
        project=project,
        purpose="preannotate",
        endpoint=make_endpoint(takes_images=True),
        by=None,
        whole=True,
    )
    counted = plan.estimate(run)
    assert "one token for 750 pixels, 1600 at most" in counted.note
    add(project=project, name="large.png", data=picture(size=(2000, 1000)), by=None)
    make_item(project, key="k2", facts={"prompt": "A cat", "before": "large.png"}, suggestion=None)
    larger = plan.plan_run(project=project, purpose="preannotate", endpoint=run.endpoint, by=None, whole=True)
    assert plan.estimate(larger).tokens_in > 2 * counted.tokens_in + 1500


def test_an_endpoint_that_takes_none_is_refused_before_the_start(project: Project, model: Serving) -> None:
    with pytest.raises(Refused, match=r"show images \(before, after\), and small .* tick “Takes images”"):
        worked(project, model, endpoint={"takes_images": False, "name": "small"})
    assert not Run.objects.exists()


def test_a_service_that_refuses_images_is_reported_as_any_refusal(project: Project, model: Serving) -> None:
    model.service.knobs = model.service.knobs.changed({"profile": "gpt-3.5-turbo"})
    run = worked(project, model, endpoint={"strict_json": False})
    assert failed(run) == (
        "bad_request",
        "Status 400: Invalid content type. image_url is only supported by certain models.",
    )


@pytest.mark.parametrize("fault", ["missing", "damaged", "no image"])
def test_a_file_that_is_not_as_it_was_ends_the_job_before_a_call(project: Project, model: Serving, fault: str) -> None:
    file = MediaFile.objects.get(name="b.png")
    if fault == "no image":
        file.delete()
    else:
        storage.media_storage().delete(file.stored_as)
    if fault == "damaged":
        storage.keep(file.stored_as, b"something else")
    run = worked(project, model)
    cause, detail = failed(run)
    assert (cause, run.calls, model.service.received.requests) == ("unsuitable", 0, 0)
    assert detail.startswith("Item k1: ")
    assert "“b.png”" in detail
    assert fault in detail
    assert "then retry" in detail


def test_more_than_a_call_takes_is_refused_before_it(
    project: Project, model: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MOST_IMAGES", 1)
    run = worked(project, model)
    cause, detail = failed(run)
    assert (cause, run.calls) == ("unsuitable", 0)
    assert "it shows 2 images" in detail
    assert "a call takes at most 1 images with 14 MiB" in detail


def test_an_endpoint_that_takes_none_any_more_is_sent_none(project: Project, model: Serving) -> None:
    """As when the definition shows images only since the run was planned."""
    endpoint = make_endpoint(name="later", base_url=model.base_url, takes_images=True)
    run = plan.plan_run(project=project, purpose="preannotate", endpoint=endpoint, by=None, whole=True)
    Endpoint.objects.update(takes_images=False)
    actions.start(run, None, ring=False)
    work(Run.objects.get(pk=run.pk))
    assert failed(run)[1] == "Item k1: the endpoint later takes no images. Tick “Takes images” there, then retry."
    assert model.service.received.requests == 0


def test_the_test_of_an_endpoint_sends_an_image_where_it_takes_some(model: Serving) -> None:
    endpoint = make_endpoint(base_url=model.base_url, takes_images=True)
    assert probe(endpoint).ok
    assert [part["type"] for part in parts(model)] == ["text", "text", "image_url"]
    model.service.knobs = model.service.knobs.changed({"profile": "gpt-3.5-turbo"})
    assert "only supported by certain models" in probe(endpoint).detail
    endpoint.takes_images = False
    assert probe(endpoint).ok
