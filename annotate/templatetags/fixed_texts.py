"""Django's library `i18n`, whose `{% translate %}` translates a fixed text once for each language.

The settings put it in the place of Django's. A page of work has seventy fixed texts.

A translation that ends with a full-width mark is followed by a `GAP`. The templates of page_templates.py take it out,
with the white space that follows: Chinese has no space between sentences, but templates have line breaks there.
"""

import re
from typing import Any, cast

from django import template
from django.template import Context, Node
from django.template.base import FilterExpression, Parser, Token
from django.templatetags import i18n
from django.utils.html import conditional_escape
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from lib.texts.sentences import FULL_WIDTH

GAP = "\ue0ff"  # for private use: no text of a person holds it for a page to lose
_AFTER_A_GAP = re.compile(GAP + r"((?:\s*</(?:a|b|code|em|i|span|strong|time)>)*)\s*")

register = template.Library()
register.tags.update(i18n.register.tags)
register.filters.update(i18n.register.filters)


def before_a_gap(text: str) -> str:
    """A translated text, with a GAP behind the full-width mark that ends it."""
    return mark_safe(text + GAP) if text.endswith(FULL_WIDTH) else text  # noqa: S308 - Django has escaped it


def without_gaps(rendered: str) -> str:
    """A rendered page without any GAP and the white space of its templates that follows it."""
    if GAP not in rendered:
        return rendered
    return mark_safe(_AFTER_A_GAP.sub(lambda match: "".join(match[1].split()), rendered))  # noqa: S308 - a finished page


@register.filter
def sentence(text: str) -> str:
    """A sentence of ours that comes from a variable, with a GAP as behind those of templates."""
    return before_a_gap(conditional_escape(text))


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
            text = self.node.render(context)
            text = self.translations[key] = text if self.variable else before_a_gap(text)
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


class Paragraph(i18n.BlockTranslateNode):
    def render(self, context: Context, nested: bool = False) -> str:
        text = super().render(context, nested)
        return text if self.asvar or nested else before_a_gap(text)


@register.tag("blocktranslate")
@register.tag("blocktrans")
def blocktranslate(parser: Parser, token: Token) -> Node:
    node: Any = i18n.do_block_translate(parser, token)
    node.__class__ = Paragraph
    return cast(Node, node)


def _is_fixed(expression: FilterExpression) -> bool:
    return not expression.filters and isinstance(getattr(expression.var, "literal", expression.var), str)
