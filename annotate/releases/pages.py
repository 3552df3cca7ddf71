import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate import bell
from annotate.intake.ratings import has_ratings
from annotate.items.queries import distinct_values
from annotate.models import Item, Member, Project, Release
from annotate.releases import actions, conversion
from annotate.releases.actions import ANY, ReleaseFilters, fault_of_splits
from annotate.releases.contents import contents_of
from annotate.releases.files import path_of
from annotate.releases.manifests import card, row_schema, with_companions
from annotate.templatetags.texts import document
from annotate.web.access import LEADS, READERS, membership, person, project_page
from annotate.web.pager import numbered_page

SPLITS = ("train", "dev", "test")


def _share() -> forms.FloatField:
    return forms.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        help_text=gettext_lazy("From 0 to 1; the shares add up to 1."),
    )


class ReleaseForm(forms.Form):
    """The form for a new release."""

    state = forms.ChoiceField(label=gettext_lazy("Items"), initial=Item.State.ACCEPTED)
    groups = forms.MultipleChoiceField(
        label=gettext_lazy("Only these groups"), required=False, widget=forms.CheckboxSelectMultiple
    )
    languages = forms.MultipleChoiceField(
        label=gettext_lazy("Only these languages"), required=False, widget=forms.CheckboxSelectMultiple
    )
    train, dev, test = _share(), _share(), _share()
    seed = forms.IntegerField(
        label=gettext_lazy("Split seed"),
        initial=0,
        min_value=0,
        max_value=2**31,
        required=False,
        help_text=gettext_lazy("With the same seed, a row stays in its split as the dataset grows."),
    )
    rows = forms.ChoiceField(
        label=gettext_lazy("One row for"),
        choices=[
            (actions.ITEMS, gettext_lazy("each item, with its final answers")),
            (actions.RATERS, gettext_lazy("each rater of an item, with their answers")),
        ],
        initial=actions.ITEMS,
        required=False,
    )
    names = forms.BooleanField(
        label=gettext_lazy("With names of raters"),
        required=False,
        help_text=gettext_lazy("Otherwise they have numbers. A release with names is for leads only."),
    )
    metadata = forms.BooleanField(
        label=gettext_lazy("With metadata"),
        required=False,
        help_text=gettext_lazy("Columns that only leads see. Only leads can then download the release."),
    )
    note = forms.CharField(label=gettext_lazy("Note"), max_length=200, required=False)
    licence = forms.CharField(label=gettext_lazy("Licence"), max_length=80, required=False)

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        states = [(state, label) for state, label in Item.State.choices if state != Item.State.ACCEPTED]
        accepted = (Item.State.ACCEPTED.value, _("accepted"))
        self._choose("state", [accepted, (ANY, _("all, best text of each")), *states])
        for name, column in (("groups", "group"), ("languages", "language")):
            self._choose_or_drop(name, distinct_values(project, column, purpose=Item.Purpose.WORK, most=10_000))
        self.fields["licence"].initial = project.licence
        if not project.kind.defined:
            del self.fields["metadata"]
        if not has_ratings(project.kind):
            del self.fields["rows"], self.fields["names"]
        else:
            self.fields["rows"].optional_unsaid = True  # type: ignore[attr-defined]  # one of two is chosen
        for name in SPLITS:
            self.fields[name].label = _("Share of “%(name)s”") % {"name": name}

    @property
    def usual_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in (*SPLITS, "seed")]

    @property
    def split_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in (*SPLITS, "seed")]

    def _choose(self, name: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _choose_or_drop(self, name: str, choices: Sequence[str]) -> None:
        """Set the choices of a field, or remove the field if it has only one value."""
        if len(choices) > 1:
            self._choose(name, [(value, value) for value in choices if value])
        else:
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        fault = fault_of_splits(self._splits(cleaned_data))
        if fault:
            self.add_error("train", fault)
        return cleaned_data

    @staticmethod
    def _splits(cleaned_data: dict[str, Any]) -> dict[str, float]:
        return {name: cleaned_data[name] for name in SPLITS if cleaned_data.get(name)}

    def filters(self) -> ReleaseFilters:
        cleaned_data = self.cleaned_data
        return ReleaseFilters(
            state=cleaned_data["state"],
            groups=cleaned_data.get("groups", []),
            languages=cleaned_data.get("languages", []),
            splits=self._splits(cleaned_data),
            seed=cleaned_data["seed"] or 0,
            metadata=cleaned_data.get("metadata", False),
            rows=cleaned_data.get("rows") or actions.ITEMS,
            names=cleaned_data.get("names", False),
        )


RELEASES_PER_PAGE = 50
Download = HttpResponse | FileResponse | StreamingHttpResponse


@login_required
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """All versions of the project; a lead makes the next one here."""
    member = membership(request, slug, READERS)
    if request.method != "POST" and request.htmx and member.leads:  # type: ignore[attr-defined]  # set by django-htmx
        return _will_hold(request, member)
    if request.method != "POST":
        return _releases(request, member, ReleaseForm(project=member.project) if member.leads else None)
    if not member.leads:
        raise PermissionDenied(_("Only leads can create releases."))
    form = ReleaseForm(request.POST, project=member.project)
    if not form.is_valid():
        return _releases(request, member, form, status=422)
    columns = {name: form.cleaned_data[name] for name in ("note", "licence")}
    planned = actions.plan(project=member.project, filters=form.filters(), by=person(request), **columns)
    bell.ring("make_release", planned.pk)
    return redirect("release", slug, planned.version)


def _will_hold(request: HttpRequest, member: Member) -> HttpResponse:
    """What the release would hold by the choices so far; by the usual ones where they are not whole yet."""
    form = ReleaseForm(request.GET, project=member.project)
    filters = form.filters() if form.is_valid() else ReleaseFilters()
    context = {"project": member.project, "membership": member, "holds": contents_of(member.project, filters)}
    return render(request, "files/_will_hold.html", context)


def _releases(request: HttpRequest, member: Member, form: ReleaseForm | None, status: int = 200) -> HttpResponse:
    stored_releases = member.project.releases.select_related("created_by").defer("manifest")
    context = {
        "form": form,
        "holds": contents_of(member.project, ReleaseFilters()) if form else None,
        "page": numbered_page(request, stored_releases, RELEASES_PER_PAGE),
        "comparable": [
            release.version for release in stored_releases.filter(state=Release.State.DONE, withdrawn_at=None)[:200]
        ],
    }
    return project_page(request, member, "files/releases.html", context, tab="releases", status=status)


def release_of(member: Member, version: int) -> Release:
    stored_release = member.project.releases.filter(version=version).select_related("created_by").first()
    if stored_release is None:
        raise Http404
    stored_release.project = member.project
    if stored_release.filters.get("metadata") and not member.leads:
        raise PermissionDenied(_("This release has columns that only leads see. Ask for one without metadata."))
    if stored_release.filters.get("names") and not member.leads:
        raise PermissionDenied(_("This release names its raters, which only leads see. Ask for one without names."))
    return stored_release


@login_required
def release(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    member = membership(request, slug, READERS)
    stored_release = release_of(member, version)
    context: dict[str, Any] = {"release": stored_release, "formats": []}
    if stored_release.state == Release.State.DONE:
        context["formats"] = list(conversion.writers_for(stored_release.manifest).values())
        context["has_schema"] = row_schema(stored_release.manifest) is not None
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "files/_release.html", frame | context)
    if stored_release.state == Release.State.DONE:
        context["card"] = document(card(stored_release.manifest))
    return project_page(request, member, "files/release.html", context, tab="releases")


def handed_out(request: HttpRequest, slug: str, version: int) -> Release | HttpResponse:
    """The release, or the page that says why it cannot be downloaded."""
    member = membership(request, slug, READERS)
    stored_release = release_of(member, version)
    if stored_release.withdrawn_at is not None:
        return project_page(
            request, member, "files/withdrawn.html", {"release": stored_release}, tab="releases", status=410
        )
    if stored_release.state != Release.State.DONE:
        raise Http404
    return stored_release


def file_name(stored_release: Release, ending: str) -> str:
    return f"{stored_release.project.slug}-v{stored_release.version}{ending}"


@login_required
def release_download(request: HttpRequest, slug: str, version: int) -> Download:
    """The file, or with ?format= its rows in another format; with ?beside=1 the companion file of that format; with
    ?schema=1 the JSON schema of its rows.
    """
    stored_release = handed_out(request, slug, version)
    if isinstance(stored_release, HttpResponse):
        return stored_release
    path = path_of(stored_release.stored_as)
    if not path.exists():
        raise Http404
    if "format" in request.GET:
        return _in_format(request, stored_release)
    if "schema" in request.GET:
        return _schema(stored_release)
    return FileResponse(
        path.open("rb"),
        as_attachment=True,
        filename=file_name(stored_release, ".jsonl"),
        content_type="application/jsonl",
    )


def _in_format(request: HttpRequest, stored_release: Release) -> HttpResponse | StreamingHttpResponse:
    row_format = conversion.writers_for(stored_release.manifest).get(request.GET["format"])
    if row_format is None:
        raise Http404
    name = file_name(stored_release, f"-{row_format.slug}")
    if "beside" in request.GET:
        if not row_format.beside_as:
            raise Http404
        content = conversion.companion_file(stored_release, row_format)
        return _attached(content, "application/octet-stream", f"{name}{row_format.beside_as}")
    pieces = conversion.converted(stored_release, row_format)
    headers = {"Content-Disposition": f'attachment; filename="{name}{row_format.written_as}"'}
    return StreamingHttpResponse(pieces, content_type=row_format.content_type, headers=headers)


def _schema(stored_release: Release) -> HttpResponse:
    schema = row_schema(stored_release.manifest)
    if schema is None:
        raise Http404
    return _attached(schema, "application/schema+json", file_name(stored_release, ".jsonl.schema.json"))


@login_required
def release_manifest(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    stored_release = handed_out(request, slug, version)
    if isinstance(stored_release, HttpResponse):
        return stored_release
    manifest = with_companions(stored_release.manifest, file_name(stored_release, ".jsonl"))
    text = json.dumps(manifest, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    return _attached(text, "application/json", file_name(stored_release, ".jsonl.manifest.json"))


@login_required
def release_card(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    stored_release = handed_out(request, slug, version)
    if isinstance(stored_release, HttpResponse):
        return stored_release
    text = card(stored_release.manifest)
    return _attached(text, "text/markdown; charset=utf-8", file_name(stored_release, ".jsonl.card.md"))


def _attached(text: str | bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        text, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@login_required
def release_withdraw(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Asks for confirmation first: a withdrawal is final."""
    member = membership(request, slug, LEADS)
    stored_release = release_of(member, version)
    if request.method != "POST":
        return project_page(request, member, "files/withdraw.html", {"release": stored_release}, tab="releases")
    if actions.withdraw(stored_release):
        messages.success(request, _("Version %(n)s is withdrawn; nobody can download it now.") % {"n": version})
    else:
        messages.warning(request, _("Only a finished release that is not yet withdrawn can be withdrawn."))
    return redirect("release", slug, version)


@require_POST
@login_required
def release_retry(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    stored_release = release_of(membership(request, slug, LEADS), version)
    if actions.retry(stored_release):
        bell.ring("make_release", stored_release.pk)
    return redirect("release", slug, version)
