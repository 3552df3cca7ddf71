"""Django's `{% url %}`, which looks an address up once. The settings put it among the built-in tags.

A page of work has thirty addresses, and looking them up took a twentieth of its time.
"""

from functools import lru_cache

from django import template
from django.conf import settings
from django.template import Context
from django.template.base import Parser, Token
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as parsed
from django.urls import NoReverseMatch, get_script_prefix, reverse
from django.utils.html import conditional_escape

register = template.Library()


class Address(URLNode):
    """An address with plain arguments. Names with a namespace depend on the page and are left to Django."""

    def render(self, context: Context) -> str:
        name, arguments = self.view_name.resolve(context), tuple(value.resolve(context) for value in self.args)
        if self.kwargs or ":" in name or not all(type(value) in (str, int) for value in arguments):
            return super().render(context)
        try:
            address = _address(settings.ROOT_URLCONF, get_script_prefix(), name, arguments)
        except NoReverseMatch:
            return super().render(context)
        if not self.asvar:
            return conditional_escape(address) if context.autoescape else address
        context[self.asvar] = address
        return ""


@lru_cache(maxsize=4096)
def _address(_urls: str, _prefix: str, name: str, arguments: tuple[str | int, ...]) -> str:
    return reverse(name, args=arguments)


@register.tag
def url(parser: Parser, token: Token) -> Address:
    node = parsed(parser, token)
    return Address(node.view_name, node.args, node.kwargs, node.asvar)
