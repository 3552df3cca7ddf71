"""`{% translate %}` and `{% url %}` give what Django's own tags give, in every language and for every argument."""

from typing import Any

import pytest
from django.template import engines
from django.template.base import VariableNode
from django.urls import NoReverseMatch, reverse
from django.utils import translation

from annotate.templatetags.fixed_texts import FixedText


def template(text: str) -> Any:
    return engines["django"].from_string("{% load i18n %}" + text)


def test_a_fixed_text_follows_the_language_of_the_reader() -> None:
    page = template('{% translate "Next item" %}')
    shown = []
    for language in ("en", "zh-hans", "en"):
        with translation.override(language):
            shown.append(page.render())
            assert shown[-1] == translation.gettext("Next item")
    assert shown[0] == shown[2] != shown[1]


def test_contexts_and_names_are_kept() -> None:
    page = template('{% translate "current text" context "a text" as word %}<{{ word }}> <{{ word }}>')
    with translation.override("zh-hans"):
        word = translation.pgettext("a text", "current text")
        assert page.render() == page.render() == f"<{word}> <{word}>"


def test_what_is_escaped_stays_escaped() -> None:
    source = '{% translate "<b>50%</b>" %}{% autoescape off %}{% translate "<b>50%</b>" %}{% endautoescape %}'
    assert template(source).render() == template(source).render() == "<b>50%</b><b>50%</b>"


def test_variables_and_filters_are_computed_each_time() -> None:
    page = template("{% translate word %} {% translate word|upper %}")
    assert [page.render({"word": word}) for word in ("one", "<two>")] == ["one ONE", "&lt;two&gt; &lt;TWO&gt;"]
    assert not [node for node in page.template.nodelist if isinstance(node, FixedText | VariableNode)]


def test_addresses_are_those_of_reverse() -> None:
    page = template("{% url 'work_item' slug pk %} {% url 'work' slug %}")
    for slug, pk in (("moons", 1), ("moons", 2), ("suns", 1)):
        addresses = f"{reverse('work_item', args=[slug, pk])} {reverse('work', args=[slug])}"
        assert page.render({"slug": slug, "pk": pk}) == addresses


def test_an_unknown_address_is_empty_under_a_name_and_an_error_otherwise() -> None:
    assert template("{% url 'nowhere' as place %}<{{ place }}>").render() == "<>"
    with pytest.raises(NoReverseMatch):
        template("{% url 'work_item' '' 1 %}").render()
