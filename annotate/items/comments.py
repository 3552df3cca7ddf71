"""Comments on fields of an item, and the answers to them."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Prefetch
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.items import drafts
from annotate.items.compare import changed_fields
from annotate.items.flow import refuse_withdrawn
from annotate.models import Annotation, Comment, Item, User
from annotate.notices.inbox import notify


def threads(item: Item, field: str | None = None, *, seen_by: User) -> list[Comment]:
    """The threads of an item, open ones first, oldest first; each carries its answers as `replies`.

    seen_by: excludes comments of work that is still hidden from this person. field: only threads on this field; "" for
    those about the whole item.
    """
    answers = Comment.objects.shown_to(seen_by).select_related("author").order_by("id")
    thread_query = (
        Comment.objects.threads()
        .shown_to(seen_by)
        .filter(item_id=item.pk)
        .select_related("author", "resolved_by")
        .prefetch_related(Prefetch("answers", answers, to_attr="replies"))
    )
    if field is not None:
        thread_query = thread_query.filter(field=field)
    return sorted(thread_query, key=lambda thread: (thread.resolved_at is not None, thread.pk))


def unanswered(item: Item, *, by: User) -> list[Comment]:
    """Open threads of earlier rounds that others began and this person has not answered."""
    other_threads = (
        Comment.objects.unresolved().shown_to(by).filter(item_id=item.pk, round__lt=item.round).exclude(author=by)
    )
    return list(other_threads.exclude(answers__author=by).order_by("id"))


def start(
    *,
    item: Item,
    by: User,
    text: str,
    field: str = "",
    span: Mapping[str, Any] | None = None,
    annotation: Annotation | None = None,
    seen_round: int | None = None,
) -> Comment:
    """A new thread on a field or a span, or on the whole item. Raises Refused if the text is empty.

    span: of the field's answer, as a Pin has it. seen_round: the item's round as this person sees it, if it is not the
    stored one.
    """
    if not text.strip():
        raise Refused(_("Write your comment."))
    refuse_withdrawn(item.pk, Refused)
    return Comment.objects.create(
        item=item,
        field=field,
        span=span or {},
        author=by,
        text=text.strip(),
        annotation=annotation,
        round=item.round if seen_round is None else seen_round,
    )


def answer(*, thread: Comment, by: User, text: str = "", answer: str = "", seen_round: int | None = None) -> Comment:
    """An answer in a thread; everybody who wrote in it is notified.

    answer: "fixed" (needs no text if something was changed), "disagree" (gives a reason) or "" (a plain reply).
    seen_round: as for `start`. Raises Refused if it is empty, or if the thread is resolved.
    """
    if thread.resolved_at:
        raise Refused(_("This comment is resolved. Reopen it to continue."))
    if not text.strip() and answer != Comment.Answer.FIXED:
        raise Refused(_("Say why you disagree.") if answer else _("Write your answer."))
    refuse_withdrawn(thread.item_id, Refused)
    if answer == Comment.Answer.FIXED and not text.strip():
        _refuse_unchanged(thread, by)
    reply = Comment.objects.create(
        item_id=thread.item_id,
        annotation_id=thread.annotation_id,
        parent=thread,
        field=thread.field,
        author=by,
        text=text.strip(),
        answer=answer,
        round=thread.item.round if seen_round is None else seen_round,
    )
    for writer in _writers(thread):
        if not Comment.objects.filter(pk=reply.pk).shown_to(writer).exists():
            continue
        notify(writer, thread.item, "answered", by=by, note=reply.text or str(Comment.Answer.FIXED.label))
    return reply


def _writers(thread: Comment) -> list[User]:
    """Everybody in the thread who is still in the project."""
    wrote = User.objects.filter(comments__in=[thread, *thread.answers.all()], is_active=True)
    return list(wrote.filter(memberships__project_id=thread.item.project_id).distinct().order_by("pk"))


def _refuse_unchanged(thread: Comment, by: User) -> None:
    """Raises Refused if this person has the text in hand again and the commented part is unchanged."""
    again = Annotation.objects.select_related("slot", "suggestion", "author", "item__project", "item__base__slot")
    text = again.filter(
        item_id=thread.item_id, author=by, slot__round=F("item__round"), slot__round__gt=thread.round
    ).first()
    if text is None:
        return
    kind = text.item.project.kind
    fields = kind.fields(kind.read_facts(text.item.facts))
    changed = changed_fields(fields, drafts.start_of(text, text.item), text.draft)
    name = thread.field.partition("[")[0]
    if changed and (not name or name in changed):
        return
    label = next((str(field.label) for field in fields if field.name == name), "")
    if not label:
        raise Refused(_("You have not changed anything since this was returned. Change it first, or say what you did."))
    raise Refused(
        _("You have not changed %(field)s since this was returned. Change it first, or say what you did.")
        % {"field": label}
    )


def resolve(*, thread: Comment, by: User) -> bool:
    """Resolve a thread; False if somebody has already done so."""
    still_open = Comment.objects.unresolved().filter(pk=thread.pk)
    return bool(still_open.update(resolved_at=timezone.now(), resolved_by=by))


def reopen(*, thread: Comment) -> bool:
    """Reopen a resolved thread; False if it is open already."""
    closed = Comment.objects.threads().filter(pk=thread.pk, resolved_at__isnull=False)
    return bool(closed.update(resolved_at=None, resolved_by=None))
