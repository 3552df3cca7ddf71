"""What was used or counted in one web process is used and counted in all."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx2
import pytest

from tests.support.installation import Installation
from tests.support.installations import Installations

pytestmark = pytest.mark.slow

CLIENTS = 8
FORM = {"csrfmiddlewaretoken": "c" * 32}
WITH_CODES = {"DJANGO_SETTINGS_MODULE": "tests.support.settings_of_long_codes"}
ACCOUNT = """
from allauth.mfa.totp.internal import auth
user = User.objects.create_user("ada", password=password)
secret = auth.generate_totp_secret()
auth.TOTP.activate(user, secret)
result = auth.format_hotp_value(auth.hotp_value(secret, next(auth.yield_hotp_counters_from_time())))
"""
COUNTED = """
from concurrent.futures import ThreadPoolExecutor
from annotate.web import rate_limits
with ThreadPoolExecutor(8) as threads:
    allowed = list(threads.map(lambda _number: rate_limits.within("begin", 150, 100 * 365 * 24 * 3600), range(200)))
result = sum(allowed)
"""


def test_a_one_time_code_opens_one_of_eight_sign_ins_at_once(installations: Installations, database: str) -> None:
    with installations.serving(database, workers=2, threads=8, **WITH_CODES) as installation:
        password = "correct horse battery staple"
        code = installation.python(ACCOUNT, password=password)
        people = [client(installation) for _number in range(CLIENTS)]
        for person in people:
            answer = person.post("/accounts/login/", data=FORM | {"login": "ada", "password": password})
            assert answer.headers["location"] == "/accounts/2fa/authenticate/"
        assert sum(at_once(people, code)) == 1
        assert installation.log.read_text() == ""


def test_no_count_of_a_limit_is_lost(installation: Installation) -> None:
    assert installation.python(COUNTED) == 150


def client(installation: Installation) -> httpx2.Client:
    """A connection for each request: on a slow machine the server may just be closing one that has been idle."""
    alone = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.Client(base_url=installation.url, cookies={"csrftoken": "c" * 32}, timeout=60, limits=alone)


def at_once(people: list[httpx2.Client], code: str) -> list[bool]:
    """Who is signed in afterwards."""
    ready = Barrier(len(people))

    def sign_in(person: httpx2.Client) -> bool:
        ready.wait()
        answer = person.post("/accounts/2fa/authenticate/", data=FORM | {"code": code})
        assert answer.status_code in (200, 302)
        return person.get("/").status_code == 200

    with ThreadPoolExecutor(len(people)) as threads:
        return list(threads.map(sign_in, people))
