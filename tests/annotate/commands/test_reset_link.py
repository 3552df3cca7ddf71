import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotate.models import User

pytestmark = pytest.mark.django_db


def test_the_link_leads_to_a_new_password(capsys: pytest.CaptureFixture[str], settings) -> None:
    settings.SITE_URL = ""
    User.objects.create_user("nina")
    call_command("reset_link", "nina", "--json")
    link = json.loads(capsys.readouterr().out)["link"]
    client = Client()
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "chosen by myself", "password2": "chosen by myself"})
    assert User.objects.get().check_password("chosen by myself")


def test_an_unknown_account_is_refused() -> None:
    with pytest.raises(CommandError, match="nobody"):
        call_command("reset_link", "nobody")
