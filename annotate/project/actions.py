"""Actions on projects: create, copy, change settings, pause, resume, and write a version of the guidelines."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import ValidationError

from annotate.audit.trail import record, recording, values_of
from annotate.definitions.actions import texts_of, write_definition
from annotate.errors import Refused, WrongState
from annotate.kinds import UnknownKind, find_kind
from annotate.kinds.shapes import Finding, option_faults
from annotate.models import AuditEntry, Guideline, Member, Project, User
from annotate.option_forms.meanwhile import PREFIX, SettingsClash, gathered, merge, spread
from lib.texts.sentences import paragraph

COPIED = (
    "languages",
    "options",
    "overlap",
    "overlap_share",
    "reviews",
    "second_share",
    "lease_minutes",
    "blind_share",
    "waits_for_suggestion",
    "budget",
    "licence",
)


def checked_options(kind: str, options: Mapping[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """A kind's options as stored (without defaults), and their problems."""
    shape = find_kind(kind).options
    try:
        return shape.model_validate(options).model_dump(mode="json", exclude_unset=True), []
    except ValidationError as error:
        return {}, list(option_faults(error, shape))


def create_project(
    *,
    slug: str,
    kind: str,
    name: str = "",
    options: Mapping[str, Any] | None = None,
    definition: str = "",
    **columns: Any,
) -> Project:
    """A new, empty project. columns: fields of Project such as reviews or lease_minutes.

    definition: the questions of a kind whose projects have their own; "" for those that the kind begins with.
    Raises Refused with a message about the slug, the kind, the option or the line of the definition at fault.
    """
    if Project.objects.filter(slug=slug).exists():
        raise Refused(_("There is already a project “%(slug)s”. Choose another address.") % {"slug": slug})
    try:
        stored, findings = checked_options(kind, options or {})
    except UnknownKind as unknown:
        raise Refused(str(unknown)) from unknown
    if findings:
        raise Refused("; ".join(f"{finding.path}: {finding.message}" for finding in findings))
    with transaction.atomic():
        project = Project.objects.create(slug=slug, kind_slug=kind, name=name or slug, options=stored, **columns)
        if definition or project.kind.defined:
            write_definition(project, text=definition or project.kind.first_definition, by=None, based_on=0)
        record("project.created", project, after=values_of(project, "name", "kind_slug", *COPIED))
    return project


def start_project(*, slug: str, kind: str, name: str, lead: User, definition: str = "") -> Project:
    """A new project with its first lead. definition: of a kind whose questions are data. Raises Refused."""
    with transaction.atomic():
        project = create_project(slug=slug, kind=kind, name=name, definition=definition)
        _add_lead(project, lead)
    return project


def _add_lead(project: Project, lead: User) -> None:
    member = Member.objects.create(project=project, user=lead, role=Member.Role.LEAD)
    record("member.added", lead, after={"role": member.role}, project=project)


def copy_project(*, source: Project, slug: str, name: str, lead: User, with_people: bool = False) -> Project:
    """A new project with the source's settings and its newest guidelines; no items. Raises Refused."""
    settings = {column: getattr(source, column) for column in COPIED if column != "options"}
    with transaction.atomic():
        project = create_project(
            slug=slug,
            kind=source.kind_slug,
            name=name,
            options=source.options,
            definition=next(reversed(texts_of(source)), ""),
            source=source,
            **settings,
        )
        _add_lead(project, lead)
        if with_people:
            _copy_people(source, project, without=lead)
        if source.guideline:
            write_guideline(project, text=source.guideline.text, note=source.guideline.note, by=lead, based_on=0)
    return project


def _copy_people(source: Project, project: Project, *, without: User) -> None:
    columns = ("role", "daily_limit", "total_limit", "languages", "groups")
    members = source.members.exclude(user=without).filter(user__is_active=True)
    Member.objects.bulk_create(
        Member(project=project, user_id=member.user_id, **{name: getattr(member, name) for name in columns})
        for member in members
    )
    for member in members.select_related("user"):
        record("member.added", member.user, after=values_of(member, *columns), project=project)


def change_settings(project: Project, *, verb: str = "project.changed", **columns: Any) -> None:
    """Store settings that a form has checked. verb: of the entry in the audit trail."""
    with recording(verb, project, *columns):
        Project.objects.filter(pk=project.pk).update(**columns)
    for name, value in columns.items():
        setattr(project, name, value)


def save_settings(project: Project, *, opened: Mapping[str, Any], entered: Mapping[str, Any]) -> list[str]:
    """Store what was changed since the page was opened, and keep what somebody else changed meanwhile.

    opened, entered: columns, and options as `option-<name>`. Returns the names that somebody else changed.
    Raises SettingsClash if both changed the same, and Refused if the two changes do not fit together.
    """
    with transaction.atomic():
        columns = [name for name in entered if not name.startswith(PREFIX)]
        locked = Project.objects.select_for_update(no_key=True).only(*columns, "options").get(pk=project.pk)
        stored = spread({**{name: getattr(locked, name) for name in columns}, "options": locked.options})
        merged = merge(opened, entered, stored)
        if merged.clashes:
            raise SettingsClash(merged.clashes, stored, by=_last_changed_by(project))
        values = gathered(merged.values)
        _check_together(project, values)
        change_settings(project, **values)
    return merged.kept


def _check_together(project: Project, values: Mapping[str, Any]) -> None:
    _options, findings = checked_options(project.kind_slug, values["options"])
    problems = [f"{finding.path}: {finding.message}" for finding in findings]
    if values.get("overlap", 1) > 1 and values.get("reviews"):
        problems.append(_("Either several people write and are compared, or one person writes and is reviewed."))
    if problems:
        message = _("%(who)s has saved other settings meanwhile, and yours do not fit to them: %(problem)s Reload.")
        raise Refused(message % {"who": _last_changed_by(project) or _("Somebody"), "problem": paragraph(problems)})


def _last_changed_by(project: Project) -> str:
    """The account that changed the settings last; "" if the audit trail does not say."""
    entries = AuditEntry.objects.filter(project_id=project.pk, verb="project.changed").order_by("-number")
    return entries.values_list("account", flat=True).first() or ""


def pause(project: Project, *, by: User, reason: str) -> None:
    """Stop handing out work until `resume`; held slots can be finished. Raises Refused without a reason."""
    if not reason.strip():
        raise Refused(_("Give a reason: the people in this project will read it."))
    change_settings(
        project, verb="project.paused", paused_at=timezone.now(), paused_by=by, paused_reason=reason.strip()
    )


def resume(project: Project) -> None:
    change_settings(project, verb="project.resumed", paused_at=None, paused_by=None, paused_reason="")


def write_guideline(project: Project, *, text: str, note: str, by: User | None, based_on: int) -> Guideline:
    """Store a new version; older ones are kept. based_on: the version that was open in the editor, 0 for none.

    Raises WrongState if somebody else has written one meanwhile.
    """
    newest = project.guidelines.order_by("-version").values_list("version", flat=True).first() or 0
    if newest != based_on:
        raise WrongState(_("Someone saved version %(version)d in the meantime.") % {"version": newest})
    try:
        with transaction.atomic():
            guideline = Guideline.objects.create(project=project, version=newest + 1, text=text, note=note, author=by)
            record("guideline.written", guideline, after={"version": newest + 1, "characters": len(text)})
    except IntegrityError as conflict:  # a_guideline_version_is_unique: two people saved at the same moment
        raise WrongState(_("Someone has just saved a version.")) from conflict
    return guideline
