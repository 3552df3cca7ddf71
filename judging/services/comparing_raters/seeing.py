"""Who may see how far people agree: nobody who votes in a study that is still running, except leads."""

from django.db.models import Q

from annotate.models import Member, Project, User
from judging.models import Ballot, Study


def is_sealed(member: Member) -> bool:
    """A study is open in which this member votes, or could; what others said would steer them. Leads drew it."""
    if member.leads:
        return False
    project_votes = Q(project=member.project) if member.project.kind.voted else Q()
    votes = Q(
        source=member.project, project__members__in=Member.objects.filter(user=member.user).exclude(role="viewer")
    )
    return Study.objects.filter(project_votes | votes if project_votes else votes, closed_at=None).exists()


def sources_of(project: Project, user: User) -> list[Project]:
    """Of a project of votes: the projects whose answers they are about, as far as this person may read there."""
    readers = Member.objects.filter(user=user).exclude(role="annotator").values("project")
    about = Ballot.objects.filter(item__project=project).exclude(first__item__project=project)
    return list(Project.objects.filter(pk__in=about.values("first__item__project")).filter(pk__in=readers))
