"""Programs in a hurry: one key sent many times at once, one message taken by many workers."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations
from tests.support.receiver import receiving

pytestmark = pytest.mark.slow
TOKEN = """
from annotate.people import tokens
lead = User.objects.create_user("lead")
project = Project.objects.create(slug="fb", name="Feedback", kind_slug="feedback")
result = tokens.make(by=Member.objects.create(project=project, user=lead, role="lead"), name="x", role="lead").secret
"""
MESSAGES = """
from annotate.notices import webhooks
project = Project.objects.create(slug="fb", name="Feedback", kind_slug="feedback")
lead = User.objects.create_user("lead")
Member.objects.create(project=project, user=lead, role="lead")
hook = Webhook.objects.create(project=project, url=url, secret="s", events=[], created_by=lead)
result = [webhooks.ping(hook).body["id"] for _number in range(60)]
"""


def test_one_key_makes_one_release_however_often_it_is_sent_at_once(live_installation: Installation) -> None:
    headers = {"Authorization": f"Bearer {live_installation.python(TOKEN)}", "Idempotency-Key": "once"}

    def post(_number: int) -> tuple[int, dict[str, Any]]:
        address = f"{live_installation.url}/api/v1/projects/fb/releases/"
        answer = httpx2.post(address, headers=headers, json={"note": "x"}, timeout=60)
        return answer.status_code, answer.json()

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(post, range(48)))
    made = [told["version"] for status, told in answers if status == 201]
    late = [(status, told["code"]) for status, told in answers if status != 201]
    assert set(made) == {1}
    assert set(late) <= {(409, "unfinished")}
    assert live_installation.python("result = Release.objects.count()") == 1


def test_a_message_is_sent_by_one_of_many_workers(installations: Installations, database: str) -> None:
    with receiving() as receiver, installations.migrated(database, WEBHOOK_ORIGINS=receiver.url) as installation:
        ids = installation.python(MESSAGES, url=receiver.url)
        with ThreadPoolExecutor(4) as pool:
            reports = list(pool.map(lambda _number: installation.manage("reconcile", "--json"), range(4)))
        assert sorted(one.headers["Touchstone-Delivery"] for one in receiver.received) == sorted(ids)
        assert sum(json.loads(report.stdout)["messages"] for report in reports) == 60
        assert installation.python("result = Delivery.objects.filter(attempts=1, status=204).count()") == 60
