"""How the prompts do by which items are made, and the way to the next round. For leads."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse

from annotate.purposes.perturb import PURPOSE
from annotate.services import instructions
from annotate.services.instructions import Row
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page


@login_required
def prompts_made(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    rows = instructions.rows(lead.project, PURPOSE.slug)
    context = {"rows": [(row, _again(row)) for row in rows], "is_possible": PURPOSE.suits(lead.project)}
    return project_page(request, lead, "prompts/made.html", context, tab="settings")


def _again(row: Row) -> str:
    """The form of runs with this category chosen, and nothing accepted made again."""
    return urlencode(
        {
            "run-purpose": PURPOSE.slug,
            "run-option-into": row.target.slug,
            "run-option-categories": row.group,
            "run-option-again": "on",
        }
    )
