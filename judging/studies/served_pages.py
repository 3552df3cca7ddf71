"""Scan of the pages and API answers that a voter gets, searching them for names of authors.

A visitor is created, becomes an annotator, opens some vote items and requests every address that contains the project.
All of this happens in a transaction that is rolled back, so that nothing remains.
"""

import logging
import secrets
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from importlib import import_module
from io import BytesIO
from typing import Any, cast
from urllib.parse import unquote
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.contrib.auth import login
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotate.items import drafts
from annotate.models import Item, Member, Project, Slot, User
from annotate.people import tokens
from judging.studies.leaks import Leak, Scan, SearchedProject, find_leaks, reading_of

# Names of our own styles and form attributes; an author with such a name is not revealed by them.
MARKUP = {"class", "type", "rel", "role", "method", "name", "autocomplete", "enctype", "rows", "cols"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.said += [value for name, value in attrs if value and name not in MARKUP]

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def handle_comment(self, data: str) -> None:
        self.said.append(data)


def readable(page: str) -> Iterator[str]:
    """Texts, comments, scripts, and the values of attributes such as links, labels and data."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    yield from reader.said


# The scan.


LOOKED_AT = 20  # vote items whose pages are opened
FIRST_NO = 30_000  # numbers of slots that nobody else has


def scan_served(project: Project, scan: Scan, *, items: int = LOOKED_AT) -> Scan:
    """scan: the result of leaks.py; findings in pages, headers and the API are added to it.

    A word that also occurs on the same pages of a neutral project without names is one of ours, such as for an author
    called Answer: it is listed separately and is not a finding.
    """
    reading = reading_of(project)
    reading.asked |= set(scan.asked)
    with transaction.atomic(), _quiet():
        pages, findings = _searched(reading, _visit(project, _some(project, items)))
        words = {finding.word for finding in findings}
        _pages, ours = _searched(reading, _visit(*_neutral(project))) if words else (0, [])
        transaction.set_rollback(True)
    neutral_words = {finding.word for finding in ours}
    real_findings = [*scan.findings, *(finding for finding in findings if finding.word not in neutral_words)]
    return replace(scan, pages=pages, findings=real_findings, ours=sorted(words & neutral_words))


def _searched(reading: SearchedProject, visited: Iterator[tuple[str, Mapping[str, str]]]) -> tuple[int, list[Leak]]:
    """Number of addresses that answered, and the findings, each name once per address and place."""
    findings: dict[tuple[str, str, str], Leak] = {}
    pages = 0
    for path, parts in visited:
        pages += 1
        for part, text in parts.items():
            for finding in _leaks_in(reading, text, part, path):
                findings.setdefault((finding.place, finding.where, finding.word), finding)
    return pages, list(findings.values())


def _neutral(project: Project) -> tuple[Project, list[Item]]:
    """A project like this one with one vote item that has no content."""
    word = secrets.token_hex(6)
    neutral_project = Project.objects.create(
        slug=word, name=word, kind_slug=project.kind_slug, options=project.options, overlap=project.overlap, reviews=0
    )
    items = []
    for item in _some(project, 1):
        facts = _silent(item.facts)
        items.append(
            Item.objects.create(
                project=neutral_project,
                key=word,
                title=word,
                state=item.state,
                facts=facts,
                schema=item.schema,
                content_hash=word,
            )
        )
    return neutral_project, items


def _silent(value: Any) -> Any:
    """The same shape with a dot for every text; enumerated values, such as the role of a turn, are kept."""
    if isinstance(value, dict):
        return {name: child if name == "role" else _silent(child) for name, child in value.items()}
    if isinstance(value, list):
        return [_silent(child) for child in value]
    return "·" if isinstance(value, str) else value


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the log: most addresses refuse an annotator, as they should."""
    log = logging.getLogger("django.request")
    was_disabled, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = was_disabled


def _leaks_in(reading: SearchedProject, text: str, part: str, path: str) -> Iterator[Leak]:
    for names in reading.names.values():
        yield from find_leaks(names, text, part, path, but=reading.asked)


def _visit(project: Project, items: Iterable[Item]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """path -> headers and readable text of every response with status 200."""
    member = _visitor(project)
    slots = [_opened(member, item, no) for no, item in enumerate(items, start=FIRST_NO)]
    browser = _Browser(member)
    for path in _paths(project, slots):
        answer = browser.get(path)
        if answer.status_code == 200:
            body = b"".join(cast(Iterable[bytes], answer))
            part = "api" if path.startswith("/api/") else "page"
            text = body.decode("utf-8", "replace")
            is_html = answer.headers.get("Content-Type", "").startswith("text/html")
            yield path, {"header": str(answer.headers), part: "\n".join(readable(text)) if is_html else text}


def _visitor(project: Project) -> Member:
    user = User.objects.create(username=f"visitor-{secrets.token_hex(6)}")
    return Member.objects.create(project=project, user=user, role=Member.Role.ANNOTATOR)


def _some(project: Project, count: int) -> list[Item]:
    """Vote items spread over the whole project."""
    item_ids = list(
        Item.objects.filter(project=project, ballot__isnull=False).order_by("pk").values_list("pk", flat=True)
    )
    step = max(len(item_ids) // max(count, 1), 1)
    return list(Item.objects.filter(pk__in=item_ids[::step][:count]).select_related("project"))


def _opened(member: Member, item: Item, no: int) -> Slot:
    slot = Slot.objects.create(
        item=item,
        project=item.project,
        stage=Slot.Stage.ANNOTATE,
        round=item.round,
        no=no,
        state=Slot.State.HELD,
        holder=member.user,
        token=uuid.uuid4(),
        lease_until=timezone.now() + timedelta(hours=1),
    )
    drafts.open_draft(slot, author=member.user, item=item, project=item.project)
    return slot


class _Browser:
    """Requests pages as this member, signed in and with a token for the API, in this process and its transaction."""

    def __init__(self, member: Member) -> None:
        self.handler = WSGIHandler()
        host = next((pattern for pattern in settings.ALLOWED_HOSTS if pattern.strip("*.")), "localhost").lstrip("*.")
        secret = tokens.make(by=member, name="leak scan", role=member.role).secret
        self.environ = {
            "REQUEST_METHOD": "GET",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": host,
            "HTTP_COOKIE": f"{settings.SESSION_COOKIE_NAME}={_session_of(member.user)}",
            "HTTP_AUTHORIZATION": f"Bearer {secret}",
            "wsgi.url_scheme": "https" if settings.SECURE_SSL_REDIRECT else "http",
        }

    def get(self, path: str) -> HttpResponseBase:
        environ: dict[str, Any] = {**self.environ, "PATH_INFO": unquote(path), "wsgi.input": BytesIO()}
        setup_testing_defaults(environ)
        return self.handler.get_response(WSGIRequest(environ))


def _session_of(user: User) -> str:
    """The key of a new session in which this person is signed in."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()
    login(request, user, "django.contrib.auth.backends.ModelBackend")
    request.session.save()
    return str(request.session.session_key)


def _paths(project: Project, slots: list[Slot]) -> Iterator[str]:
    """The desk of every slot; every address that contains the project; addresses of an object, for the first slot and
    its item."""
    yield from (reverse("work_item", args=[project.slug, slot.pk]) for slot in slots)
    ids = [pk for slot in slots[:1] for pk in (slot.pk, slot.item_id)]
    for name, parameters in _addresses(get_resolver().url_patterns, ()):
        other_names = [parameter for parameter in parameters if parameter != "slug"]
        if "slug" not in parameters or len(other_names) > 1 or name == "work_item":
            continue
        for extra_kwargs in [{other_names[0]: pk} for pk in ids] if other_names else [{}]:
            try:
                yield reverse(name, kwargs={"slug": project.slug, **extra_kwargs})
            except NoReverseMatch:
                break


def _addresses(patterns: list[Any], outer: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for entry in patterns:
        inner = (*outer, *entry.pattern.regex.groupindex)
        if isinstance(entry, URLResolver):
            yield from _addresses(entry.url_patterns, inner)
        elif isinstance(entry, URLPattern) and entry.name:
            yield entry.name, inner
