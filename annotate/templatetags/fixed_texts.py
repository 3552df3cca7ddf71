"""Django's library `i18n`, whose `{% translate %}` translates a fixed text once for each language.

The settings put it in the place of Django's. A page of work has seventy fixed texts.
"""

from typing import Any

from django import template
from django.template import Context, Node
from django.template.base import FilterExpression, Parser, Token
from django.templatetags import i18n
from django.utils.translation import get_language

register = template.Library()
register.tags.update(i18n.register.tags)
register.filters.update(i18n.register.filters)


class FixedText(Node):
    """A text without variables: what it shows depends on the language alone."""

    child_nodelists = ()

    def __init__(self, node: Any) -> None:
        self.node, self.variable = node, node.asvar
        node.asvar = None
        self.translations: dict[tuple[str | None, bool], str] = {}

    def render(self, context: Context) -> str:
        key = get_language(), context.autoescape
        text = self.translations.get(key)
        if text is None:
            text = self.translations[key] = self.node.render(context)
        if not self.variable:
            return text
        context[self.variable] = text
        return ""


@register.tag("translate")
@register.tag("trans")
def translate(parser: Parser, token: Token) -> Node:
    node: Any = i18n.do_translate(parser, token)
    expressions = [node.filter_expression, *([node.message_context] if node.message_context else [])]
    return FixedText(node) if not node.noop and all(map(_is_fixed, expressions)) else node


def _is_fixed(expression: FilterExpression) -> bool:
    return not expression.filters and isinstance(getattr(expression.var, "literal", expression.var), str)
