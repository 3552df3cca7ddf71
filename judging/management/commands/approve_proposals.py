from typing import Any

from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.management.run_command import whole_number
from annotate.models import Member, Project, User
from judging.boards.bridging.proposals import approve_all


class Command(ContractCommand):
    help = "Approve proposals of `bridge` unchanged; those that need review are left for people."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="a project of the kind branching")
        parser.add_argument("--by", required=True, metavar="USER", help="approve as this user, a lead of the project")
        parser.add_argument("--judge", default="", metavar="NAME", help="only this judge's judgements; default: all")
        parser.add_argument("--style", default="", metavar="S", help="only one style: scores, verdict, score or words")
        parser.add_argument("--limit", type=whole_number, metavar="N", help="maximum number of proposals")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.project(options["slug"])
        lead = self._lead(project, options["by"])
        approval = approve_all(
            project=project, by=lead, judge=options["judge"], style=options["style"], most=options["limit"]
        )
        lines = [
            f"Approved {approval.done} proposals.",
            *(f"  left out, {why}: {n}" for _code, why, n in approval.reasons),
        ]
        summary = {"approved": approval.done, "left_out": dict(approval.left_out)}
        self.report(summary, as_json=options["json"], text="\n".join(lines))

    def _lead(self, project: Project, name: str) -> User:
        leads = project.members.filter(role=Member.Role.LEAD).select_related("user")
        member = leads.filter(user__username=name).first()
        if member is None:
            lead_names = ", ".join(leads.values_list("user__username", flat=True)) or "none yet"
            self.refuse(f"{name!r} is not a lead of the project {project.slug!r}. Leads: {lead_names}.")
        assert member is not None
        return member.user
