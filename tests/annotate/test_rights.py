"""Why a right no longer holds, told to the leads."""

import pytest

from annotate.models import Webhook
from annotate.rights import lapse, members_by_user
from tests.support.people import make_member, make_project

pytestmark = pytest.mark.django_db


def test_a_right_lapses_with_the_account_the_membership_or_the_role_of_its_giver() -> None:
    project = make_project()
    lead, reviewer, leaver = (make_member(project, role) for role in ("lead", "reviewer", "lead"))
    leaver.delete()

    def reason(user: object) -> str:
        return lapse(Webhook(project=project, created_by=user), members_by_user(project.pk))

    assert reason(lead.user) == ""
    assert "deleted" in reason(None)
    assert "may no longer" in reason(reviewer.user)
    assert "no longer in this project" in reason(leaver.user)
    lead.user.is_active = False
    assert "deactivated" in reason(lead.user)
