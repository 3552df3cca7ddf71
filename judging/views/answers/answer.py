from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.template import TemplateDoesNotExist
from django.template.loader import get_template

from annotate.views.pages import project_page
from judging.models import Author
from judging.services.answers.lists import whole
from judging.views.answers.access import judging_member

VERDICTS = "judging/_verdicts_of_answer.html"  # of another subject, which this page can do without


@login_required
def answer(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One answer after the conversation that it ends."""
    member = judging_member(request, slug)
    page = whole(member.project, pk)
    if page is None:
        raise Http404
    stored_answer = page.answer
    by_machine = stored_answer.author.sort != Author.Sort.PERSON
    context = {
        "page": page,
        "answer": stored_answer,
        "item": stored_answer.item,
        "by_machine": by_machine,
        "verdicts": _verdicts(),
    }
    return project_page(request, member, "answers/answer.html", context, tab="judging")


def _verdicts() -> str:
    try:
        get_template(VERDICTS)
    except TemplateDoesNotExist:
        return ""
    return VERDICTS
