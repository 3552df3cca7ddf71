"""Templates whose fixed parts are filled once: what depends on nothing but the language and the addresses.

The frame of a page has a hundred and fifty texts, icons and addresses without variables. Neighbours among them become
one node, so that a page only puts its own values between them. Texts and whole numbers, which are nine of ten values,
skip what Django does for times and fractions. The settings name this loader.
"""

from collections.abc import Iterable
from html import escape
from itertools import groupby
from typing import Any, cast

from django.conf import settings
from django.template import Context, Node, NodeList, Template
from django.template.base import FilterExpression, TextNode, VariableNode, render_value_in_context
from django.template.library import SimpleNode
from django.template.loaders import cached
from django.template.loaders.base import Loader as BaseLoader
from django.templatetags.i18n import BlockTranslateNode
from django.templatetags.static import StaticNode
from django.urls import get_script_prefix
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from annotate.templatetags.fixed_texts import FixedText
from annotate.templatetags.page_addresses import Address
from annotate.templatetags.ui import icon


class FixedPart(Node):
    """Neighbours that show the same on every page of one language."""

    child_nodelists = ()

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.has_addresses = any(isinstance(node, Address) for node in nodes)
        self.texts: dict[Any, str] = {}

    def render(self, context: Context) -> str:
        places = (settings.ROOT_URLCONF, get_script_prefix()) if self.has_addresses else None
        key = get_language(), context.autoescape, places
        text = self.texts.get(key)
        if text is None:
            text = self.texts[key] = "".join(str(node.render_annotated(context)) for node in self.nodes)
        return text


class Value(VariableNode):
    """Shows a value as Django does, to the letter."""

    def render(self, context: Context) -> str:
        try:
            value = self.filter_expression.resolve(context)
        except UnicodeDecodeError:
            return ""
        kind = type(value)
        if kind is SafeString:
            return cast(str, value)
        if kind is str:
            return escape(value) if context.autoescape else cast(str, value)
        if kind is int and not settings.USE_THOUSAND_SEPARATOR:
            return str(value)
        return render_value_in_context(value, context)


class FoldedNodes(NodeList):
    """The nodes of a whole template. Each page asks for its blocks, so the answer is kept."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__(nodes)
        self._by_type: dict[type[Node], list[Node]] = {}

    def get_nodes_by_type(self, nodetype: type[Node]) -> list[Node]:
        if nodetype not in self._by_type:
            self._by_type[nodetype] = super().get_nodes_by_type(nodetype)
        return self._by_type[nodetype]


class FoldingLoader(BaseLoader):
    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template = super().get_template(template_name, skip)
        fold(template.nodelist)
        template.nodelist = FoldedNodes(template.nodelist)
        return template


class Loader(cached.Loader, FoldingLoader):
    """Keeps folded templates. Django's loader asks the next class for a template that it does not have yet."""


def fold(nodes: NodeList) -> None:
    """Put one node in the place of neighbours that are fixed, here and in all nodes inside."""
    for place, node in enumerate(nodes):
        if type(node) is VariableNode:
            nodes[place] = _in_place_of(node, Value(node.filter_expression))
        for name in node.child_nodelists:
            inner = getattr(node, name, None)
            if isinstance(inner, NodeList):
                fold(inner)
        for _condition, branch in getattr(node, "conditions_nodelists", ()):
            fold(branch)
    nodes[:] = [part for fixed, run in groupby(nodes, _is_fixed) for part in (_joined([*run]) if fixed else run)]


def _joined(run: list[Node]) -> list[Node]:
    if len(run) < 2:
        return run
    if all(type(node) is TextNode for node in run):
        return [_in_place_of(run[0], TextNode("".join(cast(TextNode, node).s for node in run)))]
    return [_in_place_of(run[0], FixedPart(run))]


def _in_place_of(node: Node, other: Node) -> Node:
    other.token, other.origin = node.token, node.origin
    return other


def _is_fixed(node: Node) -> bool:
    known: Any = node
    match node:
        case TextNode():
            return True
        case FixedText():
            return not known.variable
        case StaticNode():
            return not known.varname and _is_literal(known.path)
        case Address():
            name = known.view_name
            return _is_literal(name) and ":" not in name.var and not (known.args or known.kwargs or known.asvar)
        case SimpleNode():
            values = [*known.args, *known.kwargs.values()]
            return known.func is icon and not known.target_var and all(map(_is_literal, values))
        case BlockTranslateNode():
            return not (known.extra_context or known.plural or known.asvar or known.message_context) and not any(
                token.token_type.name == "VAR" for token in known.singular
            )
    return False


def _is_literal(expression: Any) -> bool:
    return isinstance(expression, FilterExpression) and not expression.filters and isinstance(expression.var, str)
