"""What a project asks of people: the form behind its settings."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.validators import MaxValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Readiness
from annotate.services.readiness import asking, board
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page


class ReadinessForm(forms.ModelForm):
    class Meta:
        model = Readiness
        fields = ["calibration_each", "calibration_by", "passes_at", "check_share", "window", "floor"]
        labels = {
            "calibration_each": gettext_lazy("Calibration items of each group"),
            "passes_at": gettext_lazy("Share of fields that must be as expected"),
            "check_share": gettext_lazy("Share of what is handed out that is a check"),
            "window": gettext_lazy("How many of the last checks count"),
            "floor": gettext_lazy("Pause below this share"),
        }
        help_texts = {
            "calibration_each": gettext_lazy(
                "Worked before the queue opens, with feedback after each. 0 asks for none."
            ),
            "passes_at": gettext_lazy("From 0 to 1, of all compared fields of the calibration."),
            "check_share": gettext_lazy(
                "From 0 to 1. Gold and attention items among the work, which people cannot tell from it. 0: none."
            ),
            "floor": gettext_lazy(
                "From 0 to 1. Who has so many checks behind them and fewer fields as expected is paused; the leads "
                "hear of it. 0 pauses nobody."
            ),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, most in (("calibration_each", 50), ("window", 200)):
            self.fields[name].validators.append(MaxValueValidator(most))


@login_required
def readiness_settings(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    now = asking.asked_by(lead.project) or Readiness(project=lead.project)
    # The form writes into its own copy, so that a refused one changes nothing of what the page shows.
    form = ReadinessForm(request.POST or None, instance=Readiness(project=lead.project, pk=now.pk, **_columns(now)))
    if request.method == "POST" and form.is_valid():
        Readiness.objects.update_or_create(project=lead.project, defaults=form.cleaned_data)
        messages.success(request, _("Settings saved."))
        return redirect("readiness", slug)
    context = {"form": form, "pool": board.pool(lead.project)}
    status = 422 if form.errors else 200
    return project_page(request, lead, "readiness/settings.html", context, tab="settings", status=status)


def _columns(now: Readiness) -> dict[str, Any]:
    return {name: getattr(now, name) for name in ReadinessForm.Meta.fields}
