import json
from contextlib import suppress
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from annotate.acting import Actor, acting, in_role
from annotate.audit.trail import HIDDEN, entry_hash, plain, record, recording, verify
from annotate.errors import Refused
from annotate.models import AuditEntry, AuditHead, Project
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db
SECRET = "abcdefgh-12345678-abcdefgh"


def changes(project: Project, count: int) -> None:
    for name in range(count):
        record("project.changed", project, before={"name": "old"}, after={"name": f"new {name}"})


def audit(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("audit", "--json", *options, stdout=out)
    value: dict[str, Any] = json.loads(out.getvalue())
    return value


def test_an_entry_says_who_did_what_from_where() -> None:
    member = make_member(make_project(), "lead")
    with acting(Actor(user=member.user, address="192.0.2.7", channel="page")):
        in_role(member.user, member.role, member.project)
        entry = record("project.changed", member.project, before={"reviews": 1, "a": 1}, after={"reviews": 2, "a": 1})
    assert entry is not None
    assert (entry.person_id, entry.account, entry.role) == (member.user_id, member.user.username, "lead")
    assert (entry.address, entry.channel, entry.project_slug) == ("192.0.2.7", "page", member.project.slug)
    assert (entry.subject_kind, entry.subject_key) == ("project", member.project.slug)
    assert (entry.values_before, entry.values_after) == ({"reviews": 1}, {"reviews": 2})


def test_nothing_is_recorded_where_nothing_changed() -> None:
    project = make_project()
    assert record("project.changed", project, before={"reviews": 1}, after={"reviews": 1}) is None
    with recording("project.changed", project, "name"):
        pass
    assert not AuditEntry.objects.exists()


def test_the_values_before_are_those_of_the_database() -> None:
    project = make_project(name="stored")
    project.name = "typed into the form"
    with recording("project.changed", project, "name", "reviews"):
        project.save()
    assert AuditEntry.objects.get().values_before == {"name": "stored"}


def test_a_change_that_fails_leaves_no_entry() -> None:
    project = make_project()
    with suppress(Refused), recording("project.changed", project, "name"):
        Project.objects.update(name="x")
        raise Refused
    assert not AuditEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_entry_needs_the_transaction_of_its_change() -> None:
    project = make_project()
    with pytest.raises(transaction.TransactionManagementError, match=r"inside transaction\.atomic"):
        record("project.changed", project, after={"name": "x"})
    with transaction.atomic():
        record("project.changed", project, after={"name": "x"})
    assert AuditEntry.objects.count() == 1


@given(depth=st.integers(0, 6), name=st.sampled_from(["api_key", "Password", "webhook_secret", "X-Auth-Token"]))
def test_a_secret_is_hidden_at_every_depth(depth: int, name: str) -> None:
    value: Any = {name: SECRET, "deeper": {"url": f"https://ada:{SECRET}@example.org/", "Authorization": [SECRET]}}
    for level in range(depth):
        value = [value] if level % 2 else {"inner": value}
    assert SECRET not in json.dumps(plain(value))
    assert HIDDEN in json.dumps(plain(value), ensure_ascii=False)


@pytest.mark.parametrize("text", [f"ts_{SECRET}", f"sent Bearer {SECRET}", f"whsec_{SECRET}", f"sk-{SECRET}"])
def test_a_secret_is_hidden_inside_a_text(text: str) -> None:
    assert SECRET not in json.dumps(plain({"note": text}))


def test_counts_are_no_secrets_and_long_texts_are_not_stored() -> None:
    values = plain({"max_tokens": 200, "price": Decimal("0.2500"), "tokens_a_minute": None, "text": "words " * 100})
    assert (values["max_tokens"], values["price"], values["tokens_a_minute"]) == (200, "0.25", None)
    assert values["text"]["characters"] == 600


def test_two_secrets_that_differ_are_a_change() -> None:
    entry = record("webhook.changed", make_project(), before={"secret": SECRET}, after={"secret": "other"})
    assert entry is not None
    assert (entry.values_before, entry.values_after) == ({"secret": HIDDEN}, {"secret": HIDDEN})


def test_the_chain_of_an_untouched_trail_holds() -> None:
    assert verify().holds
    changes(make_project(), 3)
    last = AuditEntry.objects.get(number=3)
    assert (verify().entries, verify().last_hash, verify().problem) == (3, last.hash, "")


@pytest.mark.parametrize("column", ["account", "role", "address", "verb", "subject_key", "before", "after", "at"])
def test_a_changed_entry_breaks_the_chain(column: str) -> None:
    changes(make_project(), 3)
    other = AuditEntry.objects.get(number=3).at if column == "at" else '{"forged":1}'[:12]
    AuditEntry.objects.filter(number=2).update(**{column: other})
    assert verify().problem == "Entry 2 was changed after it was written."


def test_an_entry_that_was_rewritten_with_its_hash_breaks_the_chain_after_it() -> None:
    changes(make_project(), 3)
    forged = AuditEntry.objects.get(number=2)
    forged.account = "somebody else"
    AuditEntry.objects.filter(number=2).update(account=forged.account, hash=entry_hash(forged))
    assert verify().problem == "Entry 3 does not follow the entry before it."


@pytest.mark.parametrize(("number", "problem"), [(2, "Entry 2 is missing."), (3, "The chain ends at entry 2, but 3")])
def test_a_deleted_entry_breaks_the_chain(number: int, problem: str) -> None:
    changes(make_project(), 3)
    AuditEntry.objects.filter(number=number).delete()
    assert verify().problem.startswith(problem)


def test_the_command_lists_entries_and_verifies_the_chain() -> None:
    ours, others = make_project(), make_project()
    changes(ours, 2)
    changes(others, 1)
    assert [entry["number"] for entry in audit()["entries"]] == [3, 2, 1]
    [newest, _oldest] = audit("--project", ours.slug)["entries"]
    assert (newest["project"], newest["before"], newest["after"]) == (ours.slug, {"name": "old"}, {"name": "new 1"})
    last_hash = AuditHead.objects.get().hash
    assert audit("--verify") == {"ok": True, "entries": 3, "last_hash": last_hash, "problem": ""}


def test_the_command_says_where_the_chain_is_broken() -> None:
    changes(make_project(), 3)
    AuditEntry.objects.filter(number=2).update(account="forged")
    with pytest.raises(CommandError, match=r"Entry 2 was changed.*up to entry 1 the chain is intact"):
        call_command("audit", "--verify", stdout=StringIO())


def test_a_command_acts_as_the_account_of_the_operating_system() -> None:
    call_command("create_project", "made", "--kind", "feedback", stdout=StringIO())
    entries = AuditEntry.objects.filter(channel="create_project", role="command line").exclude(account="")
    assert entries.count() == 1
