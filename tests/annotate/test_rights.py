"""Which rights hold, and why one no longer does, told to the leads."""

import pytest

from annotate.models import ApiToken, Webhook
from annotate.rights import holding, lapse, members_by_user
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


def test_a_right_holds_while_its_giver_may_give_that_very_right() -> None:
    project = make_project()
    lead, reviewer, other = (make_member(project, role) for role in ("lead", "reviewer", "annotator"))
    for member, role in ((lead, "lead"), (reviewer, "reviewer"), (reviewer, "lead"), (other, "reviewer")):
        name = f"{member.role} gives {role}"
        ApiToken.objects.create(
            project=project, name=name, role=role, created_by=member.user, sha256=name, starts_with=name[:12]
        )
    held = set(holding(ApiToken.objects.all()).values_list("name", flat=True))
    assert held == {"lead gives lead", "reviewer gives reviewer"}
