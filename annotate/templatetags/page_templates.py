"""Django's templates; a page that is complete loses the white space after full-width marks (see fixed_texts)."""

from typing import Any

from django.template.backends.django import DjangoTemplates, Template
from django.utils.safestring import SafeString

from annotate.templatetags.fixed_texts import without_gaps


class PageTemplate(Template):
    def render(self, *arguments: Any, **named: Any) -> SafeString:
        return SafeString(without_gaps(super().render(*arguments, **named)))


class PageTemplates(DjangoTemplates):
    def from_string(self, template_code: str) -> PageTemplate:
        return PageTemplate(super().from_string(template_code).template, self)

    def get_template(self, template_name: str) -> PageTemplate:
        return PageTemplate(super().get_template(template_name).template, self)
