from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotate import hidden_checks
from annotate.errors import Refused
from annotate.hidden_checks import SeenItem
from annotate.items import comments
from annotate.items.pins import Pin, pins_in, read_pin
from annotate.kinds.values import Field
from annotate.models import Comment, Item, Member
from annotate.web.access import WORKERS, item_seen_by, membership, person
from annotate.web.pager import MOST_DIGITS, newest_page
from lib.texts.sentences import paragraph

THREADS_PER_PAGE = 20
ANSWERS_SHOWN = 5  # of each thread
SPANS_OF_OTHER_PAGES = 100  # that are marked in the texts as commented
ANSWERS_PER_PAGE = 50  # of the thread that an address names


@dataclass(frozen=True)
class PinnedThread:
    """A thread with the name of its field, and whether this member may resolve it.

    answers: the newest ones; as many as a page holds if the address names the thread.
    """

    thread: Comment
    words: str  # what it is pinned to
    resolvable: bool
    answers: Page[Comment]
    is_named: bool

    @property
    def pin(self) -> Pin:
        return Pin(self.thread.field, self.thread.span)


@dataclass(frozen=True)
class ThreadChoice:
    """Which threads of an item a page shows, as its address says: a page of them, only those about one field, or the
    page with a certain thread and a page of its answers."""

    page: str | None = None
    field: str | None = None
    thread: int | None = None
    answers: str | None = None

    @classmethod
    def of(cls, query: QueryDict) -> "ThreadChoice":
        thread = str(query.get("thread", ""))
        return cls(
            page=query.get("comments"),
            field=query.get("about"),
            thread=int(thread) if thread.isascii() and thread.isdecimal() and len(thread) <= MOST_DIGITS else None,
            answers=query.get("answers"),
        )


@dataclass
class ItemThreads:
    """The threads of an item, as comments/_threads.html shows them."""

    member: Member
    item: Item
    fields: Sequence[Field]
    threads: Sequence[Comment]
    refused: str = ""
    refused_in: int = 0  # the thread of the refused answer, 0 for a new comment
    typed: str = ""
    pinned: str = ""
    draft: Mapping[str, Any] | None = None  # of the text on this page, whose spans can be chosen
    choice: ThreadChoice = ThreadChoice()

    @cached_property
    def page(self) -> Page[Comment]:
        """Open threads first. Page 1 has the newest; each page begins with its oldest, as a conversation is read."""
        about = self.choice.field if any(self.choice.field == field for field, *_rest in self.about) else None
        threads = [thread for thread in self.threads if about in (None, thread.field)]
        threads.sort(key=lambda thread: (thread.resolved_at is None, thread.pk))
        places = {thread.pk: (len(threads) - 1 - place) // THREADS_PER_PAGE + 1 for place, thread in enumerate(threads)}
        page = newest_page(threads, THREADS_PER_PAGE, places.get(self.choice.thread or 0, self.choice.page))
        page.object_list = sorted(page.object_list, key=lambda thread: (thread.resolved_at is not None, thread.pk))
        return page

    @property
    def rows(self) -> list[PinnedThread]:
        """The threads of this page."""
        return [self._row(thread, thread.pk == self.choice.thread) for thread in self.page]

    def _row(self, thread: Comment, is_named: bool) -> PinnedThread:
        answers: Sequence[Comment] = thread.replies  # type: ignore[attr-defined]  # of the prefetch
        size, number = (ANSWERS_PER_PAGE, self.choice.answers) if is_named else (ANSWERS_SHOWN, None)
        return PinnedThread(
            thread,
            self.words(thread),
            may_resolve(self.member, thread),
            newest_page(answers, size, number),
            is_named,
        )

    @property
    def elsewhere(self) -> list[tuple[Pin, Comment]]:
        """The newest open threads about spans that are not on this page: the texts mark these spans too."""
        listed = {thread.pk for thread in self.page}
        threads = [thread for thread in self.threads if thread.span and not thread.resolved_at]
        others = [(Pin(thread.field, thread.span), thread) for thread in threads if thread.pk not in listed]
        return others[-SPANS_OF_OTHER_PAGES:]

    def words(self, thread: Comment) -> str:
        return Pin(thread.field, thread.span).words(self.labels)

    @property
    def about(self) -> list[tuple[str, str, int]]:
        """(field, its label, number of threads) of all fields that threads are about; "" is the whole item."""
        counts = Counter(thread.field for thread in self.threads)
        return [(field, self.labels.get(field, field), count) for field, count in sorted(counts.items())]

    @property
    def is_long(self) -> bool:
        return len(self.threads) > THREADS_PER_PAGE

    @property
    def labels(self) -> dict[str, str]:
        return {field.name: str(field.label) for field in self.fields}

    @property
    def choices(self) -> list[tuple[str, str]]:
        """(value, words) of what a new comment can be about."""
        kind = self.member.project.kind
        pins = pins_in(kind, kind.read_facts(self.item.facts), self.draft)
        return [(pin.value, pin.words(self.labels)) for pin in pins]

    @property
    def open_count(self) -> int:
        return sum(thread.resolved_at is None for thread in self.threads)

    @property
    def may_write(self) -> bool:
        return self.member.role in WORKERS


def may_resolve(member: Member, thread: Comment) -> bool:
    """Reviewers and leads may resolve any thread, others those that they began."""
    return member.reviews or (member.role in WORKERS and thread.author_id == member.user_id)


def talk_about(item: Item, member: Member, choice: ThreadChoice, draft: Mapping[str, Any] | None = None) -> ItemThreads:
    """The threads of an item, for a page that includes comments/_threads.html (two queries)."""
    kind = member.project.kind
    fields = kind.fields(kind.read_facts(item.facts))
    threads = hidden_checks.threads(comments.threads(item, seen_by=member.user), item, member)
    return ItemThreads(member=member, item=item, fields=fields, threads=threads, draft=draft, choice=choice)


class CommentForm(forms.Form):
    text = forms.CharField(max_length=4000, required=False, strip=False)
    field = forms.CharField(max_length=2000, required=False)
    answer = forms.ChoiceField(choices=[("", ""), *Comment.Answer.choices], required=False)


@require_POST
@login_required
def comment_add(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    item_view = item_seen_by(member, pk)
    item, form = item_view.item, CommentForm(request.POST)
    try:
        cleaned_data = _comment_fields(form)
        kind = member.project.kind
        pin = read_pin(cleaned_data["field"], kind, kind.read_facts(item.facts))
        comments.start(
            item=item,
            by=person(request),
            text=cleaned_data["text"],
            field=pin.field,
            span=pin.span,
            seen_round=item_view.round,
        )
    except Refused as refused:
        return _refuse(request, member, item, refused)
    return _answered(request, member, item)


@require_POST
@login_required
def comment_answer(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    thread, item_view = _thread(member, pk)
    item = item_view.item
    try:
        cleaned_data = _comment_fields(CommentForm(request.POST))
        comments.answer(
            thread=thread,
            by=person(request),
            text=cleaned_data["text"],
            answer=cleaned_data["answer"],
            seen_round=item_view.round,
        )
    except Refused as refused:
        return _refuse(request, member, item, refused, thread=thread)
    return _answered(request, member, item)


@require_POST
@login_required
def comment_resolve(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    thread, item_view = _thread(member, pk)
    if not may_resolve(member, thread):
        raise PermissionDenied(_("Only a reviewer or the author of a comment can resolve it. Answer it instead."))
    if request.POST.get("reopen"):
        comments.reopen(thread=thread)
    else:
        comments.resolve(thread=thread, by=person(request))
    return _answered(request, member, item_view.item)


def _thread(member: Member, pk: int) -> tuple[Comment, SeenItem]:
    """A thread of this project, on an item that this member may see; else 404."""
    threads = Comment.objects.threads().shown_to(member.user)
    thread = threads.filter(pk=pk, item__project_id=member.project_id).first()
    if thread is None:
        raise Http404
    item_view = item_seen_by(member, thread.item_id)
    if not hidden_checks.threads([thread], item_view.item, member):
        raise Http404
    thread.item = item_view.item
    return thread, item_view


def _comment_fields(form: CommentForm) -> dict[str, str]:
    if form.is_valid():
        return form.cleaned_data
    raise Refused(paragraph(error for errors in form.errors.values() for error in errors))


def _refuse(
    request: HttpRequest, member: Member, item: Item, refused: Refused, thread: Comment | None = None
) -> HttpResponse:
    talk = talk_about(item, member, _choice(_back(request, member, item)))
    talk.refused, talk.refused_in = str(refused), thread.pk if thread else 0
    talk.typed, talk.pinned = request.POST.get("text", ""), request.POST.get("field", "")
    template = "comments/_threads.html" if request.headers.get("HX-Request") else "comments/page.html"
    return render(request, template, _context(request, talk), status=422)


def _answered(request: HttpRequest, member: Member, item: Item) -> HttpResponse:
    back = _back(request, member, item)
    if request.headers.get("HX-Request"):
        return render(request, "comments/_threads.html", _context(request, talk_about(item, member, _choice(back))))
    return redirect(f"{back}#threads")


def _choice(address: str) -> ThreadChoice:
    return ThreadChoice.of(QueryDict(address.partition("?")[2]))


def _context(request: HttpRequest, talk: ItemThreads) -> dict[str, object]:
    member, item = talk.member, talk.item
    return {
        "talk": talk,
        "project": member.project,
        "membership": member,
        "item": item,
        "back": _back(request, member, item),
    }


def _back(request: HttpRequest, member: Member, item: Item) -> str:
    """The page that the form came from, if it is one of ours."""
    back = request.POST.get("back", "")
    safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    if safe and back.startswith("/"):
        return back.partition("#")[0]
    return reverse("item", args=[member.project.slug, item.pk])
