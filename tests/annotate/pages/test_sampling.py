import pytest
from django.test import Client
from django.urls import reverse

from annotate.models import Annotation, Item, Sample
from annotate.review import claim, decisions
from annotate.review.decisions import Reason
from tests.support.reviews import Case

pytestmark = pytest.mark.django_db
SAMPLES = "/p/fb/samples/"
PLAN = {"tolerated": "50", "risk": "35", "allowed": "0"}  # of 5 items: 2, see services/sampling/test_sampling.py


@pytest.fixture(autouse=True)
def accepted(case: Case) -> None:
    for number in range(5):
        item = case.item(f"k-{number}")
        case.written(item)
        review = case.review(item)
        decisions.accept(review=review, token=review.slot.token, by=case.reviewer)


def fail(case: Case) -> Sample:
    slot = claim.take_next(case.member(case.lead))
    review = Annotation.objects.select_related("slot").get(slot=slot, author=case.lead)
    reasons = [Reason("feedback", "Wrong.")]
    decisions.send_back(review=review, token=slot.token, by=case.lead, reasons=reasons)
    return Sample.objects.get()


def test_a_look_says_how_many_and_draws_nothing(lead: Client) -> None:
    page = lead.get(SAMPLES, PLAN).content.decode()
    assert "2 of 5 accepted items would be reviewed again." in page
    assert not Sample.objects.exists()


def test_a_lead_draws(lead: Client, case: Case) -> None:
    assert lead.post(SAMPLES, PLAN | {"author": str(case.annotator.pk)}).status_code == 302
    assert Item.objects.filter(state="reviewing").count() == 2
    page = lead.get(SAMPLES).content.decode()
    assert "In progress" in page
    assert "0 of 2" in page


def test_a_failed_sample_names_its_faults_and_offers_the_rest(lead: Client, case: Case) -> None:
    lead.post(SAMPLES, PLAN)
    sample = fail(case)
    page = lead.get(SAMPLES).content.decode()
    whole = reverse("sample_whole", args=["fb", sample.pk])
    assert "Failed" in page
    assert reverse("item", args=["fb", Item.objects.get(state="ready").pk]) in page
    assert whole in page
    assert lead.post(whole).status_code == 302
    assert Item.objects.filter(state="reviewing").count() == 4
    assert "The whole batch was sent to review." in lead.get(SAMPLES).content.decode()


@pytest.mark.parametrize(
    "bad", [{"tolerated": "101"}, {"risk": "-1"}, {"allowed": "x"}, {"tolerated": "100"}, {"author": "999999"}]
)
def test_a_bad_plan_draws_nothing(lead: Client, bad: dict[str, str]) -> None:
    assert lead.post(SAMPLES, PLAN | bad).status_code == 422
    assert not Sample.objects.exists()
    assert not Item.objects.filter(state="reviewing").exists()


def test_a_running_sample_is_not_widened(lead: Client) -> None:
    lead.post(SAMPLES, PLAN)
    lead.post(reverse("sample_whole", args=["fb", Sample.objects.get().pk]))
    assert Item.objects.filter(state="reviewing").count() == 2


def test_samples_are_for_leads_of_the_project(client: Client, case: Case) -> None:
    for person, status in ((case.reviewer, 403), (case.viewer, 403), (case.stranger, 404)):
        client.force_login(person)
        assert client.get(SAMPLES).status_code == status
        assert client.post(SAMPLES, PLAN).status_code == status
    assert not Sample.objects.exists()
