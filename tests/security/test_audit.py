"""Every change by a lead or an administrator leaves an entry in the audit trail, in the transaction of the change."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connection
from django.forms import BaseForm
from django.test import override_settings

from annotate.audit.trail import verify
from annotate.models import AuditEntry
from tests.security.asking import BESIDE_THE_POINT, WRITING, ask, client_of, outcome, taken_back
from tests.security.lines import LINES, Line
from tests.security.posted import FORMS, HOOKS, post
from tests.security.world import World

pytestmark = pytest.mark.django_db

OWN_ACCOUNT = "one's own account, which is no business of others"
OWN_WORK = "one's own work on items, which the history of each item records"
NO_CHANGE = "changes nothing that is stored"
FIGURES = "begins or ends computing figures for a page; whoever may read the board may do it"
# Address -> why a post of a lead or an administrator there leaves no entry.
EXCEPTIONS = {
    **dict.fromkeys(("account_login", "account_logout", "account_signup", "account_reset_password"), OWN_ACCOUNT),
    **dict.fromkeys(("account_reset_password_from_key", "account_confirm_login_code"), OWN_ACCOUNT),
    **dict.fromkeys(("account_reauthenticate", "account_change_password", "account_set_password"), OWN_ACCOUNT),
    **dict.fromkeys(("mfa_authenticate", "mfa_reauthenticate", "mfa_activate_totp"), OWN_ACCOUNT),
    **dict.fromkeys(("mfa_generate_recovery_codes", "preferences", "preferences_theme"), OWN_ACCOUNT),
    **dict.fromkeys(("preferences_language", "inbox_read", "tour"), OWN_ACCOUNT),
    "invitation": "joining is an act of the person who joins; it is recorded as theirs",
    **dict.fromkeys(
        [line.address for line in LINES if line.method == "POST" and line.address.startswith(("work_", "review_"))],
        OWN_WORK,
    ),
    **dict.fromkeys(("comment_add", "comment_answer", "comment_resolve", "precedent_ask"), OWN_WORK),
    "calibration_again": OWN_WORK,
    "items_columns": OWN_ACCOUNT,
    "sample_decide": OWN_WORK,
    "live_scores": NO_CHANGE,
    **dict.fromkeys(("board_computation_stop", "board_computation_again"), FIGURES),
    "saved_view_delete": "a view of one's own; one that is shared leaves an entry (tests/judging)",
}
# Address -> where its entry is tested, because the world has nothing with which a post could succeed.
ELSEWHERE = {
    "prompt_raw": "writes a version by the same service as prompt_edit",
    "prompt_try": "plans and starts runs by the services of run_new and run_start",
    "collect": "uploads by the service of import",
    "collect_log": "changes the settings of an upload by the service of batch_settings",
    "collect_replace": "changes the settings of an upload by the service of batch_settings",
    "dispute_decide": "the world's lead took part in the decision (tests/annotate/review/test_disputes.py)",
    "studies": "no accepted item of the world has an answer to vote on (tests/judging/studies/test_drawing.py)",
    "sample_whole": "the world's sample has not failed (tests/annotate/quality/test_sampling.py)",
    "difficulty_apply": "drops items by the service of items_bulk",
    "difficulty_restore": "accepts items again by the service of items_bulk",
    "import_judgements": "the world's kind of project takes none of our files (tests/judging/intake/test_importing.py)",
}
LEADING = [
    (line, role)
    for line in LINES
    for role in ("lead", "staff")
    if line.method == "POST" and line.expected[role] == "ok" and not (role == "staff" and line.expected["lead"] == "ok")
]
AUDITED = [(line, role) for line, role in LEADING if line.address not in {*EXCEPTIONS, *ELSEWHERE}]


@dataclass
class Written:
    """tables: written beside those of the trail. together: entries in a transaction that also wrote something else."""

    tables: list[str] = field(default_factory=list)
    blocks: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def together(self) -> bool:
        entries = {block for table, block in self.blocks if table == "annotate_auditentry"}
        changes = {block for table, block in self.blocks if not table.startswith("annotate_audit")}
        return bool((entries & changes) - {None})


@contextmanager
def transactions() -> Iterator[Written]:
    """What is written inside, and in which of the transactions that begin inside; None: in none of them."""
    written, depth = Written(), len(connection.atomic_blocks)

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        match = WRITING.match(sql)
        is_entry = bool(match and match[1].startswith("annotate_audit"))
        if match and (is_entry or not match[1].startswith(BESIDE_THE_POINT)):
            inside = connection.atomic_blocks[depth:]
            written.blocks.append((match[1], inside[0] if inside else None))
            if not is_entry:
                written.tables.append(match[1])
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield written


def faults(answer: Any) -> dict[str, Any]:
    """Why a form of posted.py was refused."""
    forms = [value for context in answer.context or [] for value in context.flatten().values()]
    return {"status": answer.status_code} | {
        name: list(errors) for form in forms if isinstance(form, BaseForm) for name, errors in form.errors.items()
    }


@pytest.fixture(autouse=True)
def hooks_allowed() -> Iterator[None]:
    with override_settings(WEBHOOK_ORIGINS=[HOOKS], MODEL_ORIGINS=["http://127.0.0.1:9"]):
        yield


def test_every_post_of_leads_has_a_form_or_a_reason() -> None:
    """A new address has to be sorted: it gets a form that succeeds, or a reason why there is no entry."""
    assert {line.address for line, _role in AUDITED} == set(FORMS)
    assert {*EXCEPTIONS, *ELSEWHERE} <= {line.address for line in LINES}
    assert len(AUDITED) >= 60


@pytest.mark.parametrize(("line", "role"), AUDITED, ids=[f"{line.address}-{role}" for line, role in AUDITED])
def test_a_change_leaves_an_entry_in_its_transaction(world: World, line: Line, role: str) -> None:
    client = client_of(world, role)
    with taken_back():
        fields = FORMS[line.address](world)
        number = AuditEntry.objects.count()
        with transactions() as written:
            answer = post(client, world, line.address, role, fields)
        entries = list(AuditEntry.objects.filter(number__gt=number))
        assert answer.status_code < 400, faults(answer)
        assert entries, f"{line.address} wrote to {written.tables} and left no entry"
        reads = all(entry.verb.startswith("read.") for entry in entries)  # its entry has a transaction of its own
        assert written.together or reads or not written.tables
        assert {(entry.account, entry.address) for entry in entries} == {(role, "127.0.0.1")}
        assert {entry.role for entry in entries} == {"administrator" if role == "staff" else "lead"}
        assert verify().holds


@pytest.mark.parametrize("name", sorted(EXCEPTIONS))
def test_an_exception_is_no_longer_one_once_it_leaves_entries(world: World, name: str) -> None:
    [line] = [line for line in LINES if line.address == name and line.method == "POST"]
    with taken_back():
        number = AuditEntry.objects.count()
        ask(client_of(world, "lead"), world, line, "lead")
        assert AuditEntry.objects.count() == number


@pytest.mark.parametrize("line", [line for line in LINES if line.method == "POST"], ids=str)
@pytest.mark.parametrize("role", ["anonymous", "annotator"])
def test_who_is_refused_leaves_no_entry(world: World, line: Line, role: str) -> None:
    with taken_back():
        number = AuditEntry.objects.count()
        answer = ask(client_of(world, role), world, line, role)
        assert outcome(answer) == "ok" or AuditEntry.objects.count() == number


def test_no_entry_holds_a_secret(world: World) -> None:
    """What the forms above bring in secret: an address's path, a token, a password."""
    client = client_of(world, "lead")
    with taken_back():
        for name in ("webhooks", "tokens", "invite"):
            assert post(client, world, name, "lead", FORMS[name](world)).status_code < 400
        stored = "".join(entry.before + entry.after + entry.subject_key for entry in AuditEntry.objects.all())
    assert "secret-path" not in stored
    assert "whsec_" not in stored
    assert "ts_" not in stored


def test_every_file_that_a_lead_downloads_leaves_an_entry(world: World) -> None:
    """Whatever is offered as a file, on pages of today and of tomorrow, except one's own record."""
    client, files = client_of(world, "lead"), []
    for line in LINES:
        if line.method == "GET" and line.expected["lead"] == "ok" and line.address != "my_record_json":
            with taken_back():
                number = AuditEntry.objects.count()
                answer = ask(client, world, line, "lead")
                if answer.headers.get("Content-Disposition", "").startswith("attachment"):
                    [entry] = AuditEntry.objects.filter(number__gt=number)
                    files.append((line.address, entry.verb, entry.role))
                answer.close()  # a person can have four downloads at a time
    assert {entry[1:] for entry in files} == {("read.file", "lead")}
    assert {"release_download", "release_card", "items_csv", "project_audit_export"} <= {name for name, *_rest in files}
    assert len(files) >= 16


def test_annotators_do_not_lock_the_trail(world: World) -> None:
    """Their work does not wait for leads: nothing of it touches the end of the chain."""
    with taken_back(), transactions() as written:
        for line in LINES:
            if line.method == "POST" and line.address in ("work_save", "work_next", "work_skip"):
                ask(client_of(world, "annotator"), world, line, "annotator")
    assert not [table for table, _block in written.blocks if table.startswith("annotate_audit")]
