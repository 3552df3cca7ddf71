"""Fields of forms are written without templates, the same to the letter."""

from typing import Any

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy, override

from annotate.web.form_renderer import INPUTS, WRITTEN, FormRenderer

HOSTILE = """"><script>alert('1')</script>&amp;"""
ATTRIBUTES = {"class": HOSTILE, "rows": 3, "required": True, "disabled": False, "title": gettext_lazy("Import")}
CHOICES: list[Any] = [
    ("", "---"),
    (1, gettext_lazy("Import")),
    (HOSTILE, HOSTILE),
    (HOSTILE, [(2, 2500), ("3", 2.5), (None, mark_safe("<b>ours</b>"))]),
]


def of_template(name: str) -> forms.Widget:
    widget = forms.TextInput()
    widget.input_type, widget.template_name = name, f"django/forms/widgets/{name}.html"
    return widget


WIDGETS: list[forms.Widget] = [
    *(of_template(name) for name in INPUTS),
    forms.CheckboxInput(),
    forms.FileInput(),
    forms.HiddenInput(),
    forms.Textarea(),
    forms.Select(choices=CHOICES),
    forms.SelectMultiple(choices=CHOICES),
    forms.NullBooleanSelect(),
    forms.RadioSelect(choices=CHOICES),
    forms.ClearableFileInput(),
]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.template_name)
def test_a_field_is_what_the_templates_of_django_make(widget: forms.Widget, language: str) -> None:
    with override(language):
        for value in (None, "", HOSTILE, mark_safe("<i>"), "1", ("1", HOSTILE), True):
            ours, theirs = (
                widget.render(f"name{HOSTILE}", value, ATTRIBUTES, renderer)
                for renderer in (FormRenderer(), DjangoTemplates())
            )
            assert ours == theirs


def test_all_that_is_written_is_tried_here() -> None:
    assert set(WRITTEN) <= {getattr(widget, "template_name", "") for widget in WIDGETS}
