"""The project in which people's votes about another one's answers or pairs are."""

from annotate.models import Member, Project
from annotate.services.errors import Refused
from annotate.services.projects import create_project
from lib.texts.said import say as _


def votes_beside(project: Project, kind: str) -> Project:
    """Where the votes of this kind are: made with the project's leads where it is missing."""
    votes_project = Project.objects.filter(slug=slug_beside(project), kind_slug=kind).first()
    if votes_project is None:
        votes_name = _("%(name)s: votes") % {"name": project.name}
        settings = {"languages": project.languages, "reviews": 0}
        votes_project = create_project(slug=slug_beside(project), kind=kind, name=votes_name[:120], **settings)
        leads = project.members.filter(role=Member.Role.LEAD)
        Member.objects.bulk_create(Member(project=votes_project, user=lead.user, role=lead.role) for lead in leads)
    return votes_project


def slug_beside(project: Project) -> str:
    return f"{project.slug[:54]}-votes"  # an address has at most 60 characters


def refuse_taken(project: Project, kind: str) -> None:
    """Raises Refused where the address of the votes is that of something else."""
    slug = slug_beside(project)
    other_project = Project.objects.filter(slug=slug).exclude(kind_slug=kind).first()
    if other_project is not None:
        raise Refused(_("“%(slug)s” is of kind %(kind)s.") % {"slug": slug, "kind": other_project.kind_slug})
