from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from annotate.models import Member
from annotate.views.access import LEADS, READERS
from annotate.views.pages import project_page
from judging.models import Author
from judging.services.answers.coverage import coverage
from judging.services.answers.lists import answers_page
from judging.views.answers.access import author_of, judging_member
from judging.views.answers.forms import AnswersFilterForm, AuthorForm


@login_required
def answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Every author, and how much of the project they have answered."""
    member = judging_member(request, slug)
    rows = coverage(member.project)
    context = {"rows": rows, "items": rows[0].items if rows else None}
    return project_page(request, member, "answers/answers.html", context, tab="judging")


@login_required
def answer_author(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One author's answers; a lead says here what they are."""
    member = judging_member(request, slug, LEADS if request.method == "POST" else READERS)
    author = author_of(member, pk)
    if request.method != "POST":
        return _author_page(request, member, author, AuthorForm(instance=author))
    form = AuthorForm(request.POST, instance=author)
    if not form.is_valid():
        return _author_page(request, member, author, form, status=422)
    form.save()
    messages.success(request, _("Saved."))
    return redirect("answer_author", slug, pk)


def _author_page(
    request: HttpRequest, member: Member, author: Author, form: AuthorForm, status: int = 200
) -> HttpResponse:
    filters = AnswersFilterForm(request.GET)
    context: dict[str, Any] = {"author": author, "form": form, "filters": filters}
    if filters.is_valid():
        query = filters.cleaned_data
        page = answers_page(author, q=query["q"], after=query["after"], before=query["before"])
        context |= {"page": page, "q": query["q"]}
    else:
        status = 422
    return project_page(request, member, "answers/author.html", context, tab="judging", status=status)
