from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.kinds import all_kinds
from annotate.models import Member, Project, User
from annotate.services import projects
from annotate.services.errors import Refused
from annotate.views.access import person


class NewProjectForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=120)
    slug = forms.SlugField(
        label=gettext_lazy("Address"),
        max_length=60,
        help_text=gettext_lazy("Stands in the address of its pages: small letters, digits, hyphens. It stays."),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind of work"), required=False, help_text=gettext_lazy("A copy keeps its source's kind.")
    )
    source = forms.ModelChoiceField(
        Project.objects.none(),
        label=gettext_lazy("Copy the settings of"),
        required=False,
        empty_label=gettext_lazy("none: begin with the kind's own settings"),
        help_text=gettext_lazy("Options, guidelines, reviews, lease and the other settings; no items."),
    )
    with_people = forms.BooleanField(label=gettext_lazy("Copy its people too, with their limits"), required=False)

    def __init__(self, *args: Any, lead: User, **options: Any) -> None:
        super().__init__(*args, **options)
        kinds: dict[str, forms.Field] = self.fields
        kinds["kind"].choices = [(slug, kind.name) for slug, kind in all_kinds().items()]  # type: ignore[attr-defined]
        kinds["source"].queryset = led_by(lead)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        if not cleaned_data.get("kind") and not cleaned_data.get("source"):
            self.add_error("kind", _("Choose a kind of work, or a project to copy."))
        return cleaned_data

    def make(self, lead: User) -> Project:
        """Raises Refused."""
        cleaned_data = self.cleaned_data
        arguments = {"slug": cleaned_data["slug"], "name": cleaned_data["name"], "lead": lead}
        if cleaned_data["source"]:
            return projects.copy_project(
                source=cleaned_data["source"], with_people=cleaned_data["with_people"], **arguments
            )
        return projects.start_project(kind=cleaned_data["kind"], **arguments)


def led_by(user: User) -> Any:
    return Project.objects.filter(members__user=user, members__role=Member.Role.LEAD)


def may_make_projects(user: User) -> bool:
    """Administrators, and whoever leads a project already."""
    return user.is_staff or led_by(user).exists()


@login_required
def project_list(request: HttpRequest) -> HttpResponse:
    """The projects of this person; others do not exist for them, whoever they are."""
    user = person(request)
    memberships = Member.objects.of(user).select_related("project").order_by("project__name")
    context = {"memberships": memberships, "may_make": may_make_projects(user), "kinds": all_kinds()}
    return render(request, "projects/projects.html", context)


@login_required
def project_new(request: HttpRequest) -> HttpResponse:
    user = person(request)
    if not may_make_projects(user):
        raise PermissionDenied(_("Administrators and leads make projects. Ask one of them."))
    form = NewProjectForm(request.POST or None, initial={"source": request.GET.get("source")}, lead=user)
    if request.method == "POST" and form.is_valid():
        try:
            project = form.make(user)
        except Refused as refused:
            form.add_error("slug", str(refused))
        else:
            messages.success(request, _("%(name)s is made. Check its settings, then import items.") % {"name": project})
            return redirect("project_settings", project.slug)
    return render(request, "projects/new.html", {"form": form}, status=422 if form.errors else 200)
