from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotate.models import Member


def project_page(
    request: HttpRequest, member: Member, template: str, context: dict[str, Any], *, tab: str, status: int = 200
) -> HttpResponse:
    """A page inside a project's frame: its tabs need the project, the membership and the word of the open one."""
    frame = {"project": member.project, "membership": member, "tab": tab}
    return render(request, template, frame | context, status=status)
