"""What stands between every request and its view."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.desks import posted, worker
from tests.support.people import DRAFT

NAMED = {"X-Names-Redirect": "yes"}


@pytest.mark.django_db
class TestNamedRedirects:
    def test_a_script_is_told_where_the_answer_leads(self) -> None:
        ada = worker(items=2)
        slot = ada.opened()
        form = ada.form(slot) | posted(DRAFT | {"feedback": "Count again."})
        answer = ada.client.post(ada.address("work_submit", slot), form, headers=NAMED)
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["X-Redirects-To"].endswith(f"?done={slot.pk}&left=5")
        assert "Location" not in answer.headers
        assert ada.annotation(slot).submitted_at

    def test_everybody_else_is_led_there(self, client: Client) -> None:
        answer = client.post(reverse("work_next", args=["moons"]))
        assert answer.status_code == 302
        assert "X-Redirects-To" not in answer.headers

    def test_a_page_is_a_page(self) -> None:
        ada = worker()
        slot = ada.opened()
        answer = ada.client.post(ada.address("work_submit", slot), ada.form(slot), headers=NAMED)
        assert answer.status_code == 422
        assert b"Submit it as it is?" in answer.content

    def test_whoever_is_signed_out_is_led_to_the_sign_in_and_back(self, client: Client) -> None:
        address = reverse("work_submit", args=["moons", 7])
        answer = client.post(address, headers=NAMED)
        assert answer.headers["X-Redirects-To"] == f"{reverse('account_login')}?next={address}"
