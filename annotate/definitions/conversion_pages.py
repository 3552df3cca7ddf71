"""A definition of another tool, pasted or uploaded: what it becomes and what is left over, before anything is saved."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.definitions.pages import lead_of
from annotate.formats.tools.definition_tools import OWN, TOOLS, converted
from annotate.formats.tools.leftovers import BadConversion, Leftover
from annotate.web.access import project_page

LONGEST = 2_000_000  # characters of a text, bytes of a file
SORTS = {
    "missing": gettext_lazy("Has no counterpart"),
    "changed": gettext_lazy("Is not quite the same"),
    "look": gettext_lazy("Only appearance"),
}


class ForeignDefinitionForm(forms.Form):
    tool = forms.ChoiceField(
        label=gettext_lazy("Other tool"), choices=[(tool.slug, tool.name) for tool in TOOLS.values()]
    )
    text = forms.CharField(
        label=gettext_lazy("Paste it here"),
        required=False,
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "code-input"}),
    )
    file = forms.FileField(label=gettext_lazy("or choose the file"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("text", "file"):
            self.fields[name].one_of_two = True  # type: ignore[attr-defined]  # either can be given

    def clean_file(self) -> str:
        """What the file holds; "" without one."""
        file: UploadedFile | None = self.cleaned_data["file"]
        if file is None:
            return ""
        if file.size is None or file.size > LONGEST:
            raise forms.ValidationError(_("The file has more than 2 MB. Choose the definition alone, without tasks."))
        try:
            return file.read().decode()
        except UnicodeDecodeError as unreadable:
            raise forms.ValidationError(
                _("The file is not UTF-8 text. Save it as UTF-8, then try again.")
            ) from unreadable

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        cleaned["definition"] = cleaned.get("file") or cleaned.get("text") or ""
        if not self.errors and not cleaned["definition"].strip():
            self.add_error("text", _("Paste the definition, or choose its file."))
        return cleaned


@login_required
def questions_convert(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows what a definition becomes. Nothing is stored: a button opens it in the editor, where it can be saved."""
    lead = lead_of(request, slug)
    form = ForeignDefinitionForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form}
    if form.is_bound and form.is_valid():
        cleaned = form.cleaned_data
        try:
            conversion = converted(cleaned["definition"], source=cleaned["tool"], target=OWN)
        except BadConversion as bad:
            form.add_error("file" if cleaned["file"] else "text", str(bad))
            context["leftovers"] = _by_sort(bad.leftovers)
        else:
            newest = lead.project.definitions.first()
            context |= {"conversion": conversion, "leftovers": _by_sort(conversion.leftovers)}
            context["based_on"] = newest.version if newest else 0
    status = 422 if form.errors else 200
    return project_page(request, lead, "definitions/convert.html", context, tab="questions", status=status)


def _by_sort(leftovers: list[Leftover]) -> list[tuple[Any, list[Leftover]]]:
    """(heading, leftovers), the gravest first; without those that are empty."""
    listed = [(head, [leftover for leftover in leftovers if leftover.sort == sort]) for sort, head in SORTS.items()]
    return [(head, some) for head, some in listed if some]
