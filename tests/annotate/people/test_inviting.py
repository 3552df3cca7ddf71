from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotate.errors import Refused
from annotate.models import Invitation, Member
from annotate.people import accounts
from tests.support.reviews import Case, make_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    return make_case()


def invite(case: Case, **said: object) -> Invitation:
    return accounts.invite(project=case.project, role="reviewer", by=case.lead, **said)


def test_an_invitation_lasts_two_weeks_unless_told_otherwise(case: Case) -> None:
    assert timedelta(days=13) < invite(case).expires_at - timezone.now() <= timedelta(days=14)


def test_who_accepts_joins_in_the_invited_role(case: Case) -> None:
    accounts.accept(invite(case), user=case.stranger)
    assert case.member(case.stranger).role == "reviewer"


def test_an_invitation_works_once(case: Case) -> None:
    invitation = invite(case)
    accounts.accept(invitation, user=case.stranger)
    case.project.members.filter(user=case.stranger).delete()
    with pytest.raises(Refused):
        accounts.accept(invitation, user=case.stranger)


def test_an_invitation_that_has_run_out_or_was_revoked_lets_nobody_in(case: Case) -> None:
    late, revoked = invite(case), invite(case)
    Invitation.objects.filter(pk=late.pk).update(expires_at=timezone.now())
    accounts.revoke(revoked)
    for invitation in (late, revoked):
        with pytest.raises(Refused):
            accounts.accept(invitation, user=case.stranger)
    assert not Member.objects.filter(user=case.stranger).exists()


def test_a_member_does_not_use_up_the_link(case: Case) -> None:
    invitation = invite(case)
    with pytest.raises(Refused):
        accounts.accept(invitation, user=case.annotator)
    assert case.member(case.annotator).role == "annotator"
    assert accounts.unused().filter(pk=invitation.pk).exists()


def test_a_used_invitation_is_not_revoked(case: Case) -> None:
    invitation = invite(case)
    accounts.accept(invitation, user=case.stranger)
    with pytest.raises(Refused):
        accounts.revoke(invitation)


def test_the_link_is_mailed_where_there_is_an_address(
    case: Case, settings, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    settings.MAIL_CONFIGURED = True
    with django_capture_on_commit_callbacks(execute=True):
        invitation = invite(case, email="nina@example.org")
    assert mail.outbox[0].to == ["nina@example.org"]
    assert f"/invite/{invitation.token}/" in mail.outbox[0].body
