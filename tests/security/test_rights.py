"""Rights that do not outlive their giver: every kind of right × every role × every change of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.errors import Refused
from annotate.models import Member, User
from tests.support.people import make_member
from tests.support.rights import HOLDS, ROLES, become, give, password_link, password_link_path
from tests.support.use_cases import use_case_project

pytestmark = pytest.mark.django_db
STATES = (*ROLES, "removed", "off")


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("role", ROLES)
def test_no_right_outlives_the_role_of_its_giver(role: str) -> None:
    member = make_member(use_case_project(), role)
    outcomes, expected = {}, {}
    for kind in [kind for kind, roles in HOLDS.items() if role in roles]:
        for state in STATES:
            with taken_back():
                right = give(kind, member)
                become(member.user, member.project_id, state)
                outcomes[kind, state], expected[kind, state] = right.opens(), state in HOLDS[kind]
    assert outcomes == expected


@pytest.mark.parametrize("role", ROLES)
def test_nobody_gives_what_they_may_not(role: str) -> None:
    """Surveys are opened by their page alone, which is for leads (test_survey_access.py)."""
    member = make_member(use_case_project(), role)
    for kind in [kind for kind, roles in HOLDS.items() if role not in roles and kind != "survey:"]:
        with pytest.raises(Refused):
            give(kind, member)


@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    kind=st.sampled_from(sorted(HOLDS)),
    changes=st.lists(st.sampled_from((*STATES, "on", "elsewhere")), min_size=1, max_size=6),
)
def test_a_right_holds_exactly_while_its_giver_may_give_it(db: None, kind: str, changes: list[str]) -> None:
    """Whatever happened on the way: what counts is the role now. A person who gets it back gives again."""
    with taken_back():
        member = make_member(use_case_project(), "lead")
        right = give(kind, member)
        for change in changes:
            become(member.user, member.project_id, change)
        user = User.objects.get(pk=member.user_id)
        role = Member.objects.filter(project=member.project_id, user=user).values_list("role", flat=True).first()
        assert right.opens() == (user.is_active and role in HOLDS[kind])


# --- links for passwords ------------------------------------------------------------------------------------------
ADMINISTRATORS = {
    "unchanged": {},
    "no administrator": {"is_staff": False},
    "neither": {"is_staff": False, "is_superuser": False},
    "no superuser": {"is_superuser": False},
    "off": {"is_active": False},
}
STILL_HOLDS = {("unchanged", False), ("unchanged", True), ("no superuser", False)}


@pytest.mark.parametrize(("change", "superuser"), list(product(ADMINISTRATORS, (False, True))))
def test_a_password_link_dies_with_the_rights_of_its_administrator(change: str, superuser: bool) -> None:
    administrator = User.objects.create_user("root", is_staff=True, is_superuser=True)
    account = User.objects.create_user("victim", password="the old one is long", is_superuser=superuser)
    opens = password_link(administrator, account)
    User.objects.filter(pk=administrator.pk).update(**ADMINISTRATORS[change])
    assert opens() == ((change, superuser) in STILL_HOLDS)


def test_a_password_form_that_is_open_already_dies_too() -> None:
    administrator = User.objects.create_user("root", is_staff=True)
    account = User.objects.create_user("victim", password="the old one is long")
    thief = Client()
    link = password_link_path(administrator, account)
    form = thief.get(link, follow=True).redirect_chain[-1][0]
    User.objects.filter(pk=administrator.pk).update(is_staff=False)
    thief.post(form, {"password1": "chosen by the thief", "password2": "chosen by the thief"})
    account.refresh_from_db()
    assert account.check_password("the old one is long")


# --- nothing is forgotten -----------------------------------------------------------------------------------------
RIGHTS = {"Invitation.created_by", "ApiToken.created_by", "Webhook.created_by", "Survey.created_by"}
# Columns that name a person and let nobody in: who did something, or whose something is.
RECORDS = {
    *("AlikePair.decided_by", "AlikeSearch.asked_by", "Annotation.author", "AuditEntry.person"),
    "BoardComputation.asked_by",  # its worker sees what this person sees now
    "Digest.user",  # whom a mail is sent to
    *("Batch.created_by", "Comment.author", "Comment.resolved_by", "Dispute.decided_by", "Endpoint.created_by"),
    "MediaFile.added_by",
    *(
        "Event.actor",
        "ExplanationLabel.person",
        "Definition.author",
        "Guideline.author",
        "Invitation.accepted_by",
        "Member.user",
    ),
    *("Notification.actor", "Notification.user", "Pass.created_by", "Precedent.asked_by", "Precedent.ruled_by"),
    *("PrecedentEvent.actor", "Project.paused_by", "PromptVersion.author", "Release.created_by"),
    *("Reopening.created_by", "Run.created_by", "Run.started_by", "Sample.created_by", "SavedView.owner"),
    *("Skip.person", "Slot.holder", "Slot.reserved_for", "Study.created_by", "UnitTurn.holder"),
}


def test_every_column_that_names_a_person_is_a_right_or_a_record() -> None:
    """A new one has to be sorted; what a person gives and somebody uses later belongs into services/rights.py."""
    models = [*apps.get_app_config("annotate").get_models(), *apps.get_app_config("judging").get_models()]
    columns = {
        f"{model.__name__}.{field.name}"
        for model in models
        for field in model._meta.get_fields()
        if getattr(field, "remote_field", None) and field.concrete and field.related_model is User
    }
    assert columns == RIGHTS | RECORDS
