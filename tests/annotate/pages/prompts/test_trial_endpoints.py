"""Which endpoints take images, on the page where wordings are tried."""

import pytest

from annotate.project.actions import create_project
from tests.support.pages import client_of, html_of, said
from tests.support.people import make_member
from tests.support.reviews import Case
from tests.support.runs import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("shown_as", "about"),
    [("image", "Items show images, so only endpoints"), ("chat", "Endpoints that take images are sent those")],
)
def test_a_trial_marks_endpoints_that_take_images_where_items_show_some(shown_as: str, about: str) -> None:
    text = f"show: [{{field: shown, as: {shown_as}}}]\nquestions: [{{name: ok, type: choice, options: [good, bad]}}]"
    project = create_project(slug="own", kind="form", definition=text, reviews=0)
    make_endpoint(name="blind", model="m")
    make_endpoint(name="seeing", model="m", takes_images=True)
    lead = client_of(make_member(project, "lead").user)
    page = said(html_of(lead, "/p/own/prompts/form.answers.en/try/"))
    assert about in page
    assert "blind (m), text only" in page
    assert "seeing (m), takes images" in page


def test_a_trial_of_other_kinds_says_nothing_of_images(case: Case) -> None:
    make_endpoint(name="seeing", takes_images=True)
    assert "images" not in said(html_of(client_of(case.lead), "/p/fb/prompts/feedback.checklist.en/try/"))
