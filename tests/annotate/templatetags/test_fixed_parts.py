"""Templates with joined fixed parts show what Django's own loader shows, to the letter."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.conf import settings
from django.template import Context, Engine, Template
from django.template.backends.django import get_installed_libraries
from django.template.base import TextNode
from django.test import override_settings
from django.urls import set_script_prefix
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy, override

from annotate.templatetags.fixed_parts import FixedPart

FRAME = """{% load i18n static ui %}
<title>{% block title %}{% translate "Settings" %}{% endblock %} · {{ name }}</title>
<a href="{% url 'home' %}">{% icon "bell" %}{% icon "turn" "icon--turn" %}{% translate "Notifications" %}</a>
<img src="{% static 'img/favicon.svg' %}" alt="">{# a note #} {% blocktranslate trimmed %}
  The server did not answer. What you typed is still here; try again when the connection is back.
{% endblocktranslate %}
{% translate "Items" as items %}{% if items %}<b>{{ items }}</b>{% else %}<i>{% translate "Nothing" %}</i>{% endif %}
{% for value in values %}<li>{% icon "check" %} {{ value }} {% url 'overview' value %}</li>{% endfor %}
{% autoescape off %}{% translate "A & B" %} {{ name }}{% endautoescape %}
{% language "zh-hans" %}{% translate "Settings" %} {% translate "Items" %}{% endlanguage %}
{% blocktranslate count n=count %}{{ n }} row{% plural %}{{ n }} rows{% endblocktranslate %}
{% block content %}{% endblock %}
"""
PAGE = """{# a page #}{% extends "frame.html" %}{% load i18n ui %}
{% block title %}{% translate "People" %} {{ block.super }}{% endblock %}
{% block content %}{% icon "pen" %} {% translate "People" %}{% include "part.html" with value=1.5 %}{% endblock %}
"""
PART = "{{ value }} {{ moment }} {{ word }} {{ price }} {{ truth }} {{ missing }} {{ safe }} {{ many }}"
TEMPLATES = {"frame.html": FRAME, "page.html": PAGE, "part.html": PART}
DJANGOS = "django.template.loaders.cached.Loader"
VALUES: dict[str, Any] = {
    "name": """<b>'"&""",
    "values": ["a", "b"],
    "count": 2,
    "moment": datetime(2026, 3, 4, 5, 6, tzinfo=UTC),
    "word": gettext_lazy("Items"),
    "price": Decimal("1234.5"),
    "truth": True,
    "safe": mark_safe("<i>"),
    "many": 1234567,
}


def template(name: str, loader: str) -> Template:
    options = settings.TEMPLATES[0]["OPTIONS"]
    inner = [(loader, [("django.template.loaders.locmem.Loader", TEMPLATES)])]
    engine = Engine(loaders=inner, libraries=libraries(options), builtins=options["builtins"])
    return engine.get_template(name)


def libraries(options: dict[str, Any]) -> dict[str, str]:
    return get_installed_libraries() | options["libraries"]


def both(name: str = "page.html") -> tuple[str, str]:
    ours, theirs = (template(name, loader) for loader in ("annotate.templatetags.fixed_parts.Loader", DJANGOS))
    return ours.render(Context(VALUES)), theirs.render(Context(VALUES))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("thousands", [False, True])
def test_a_page_is_what_django_makes_of_it(language: str, thousands: bool) -> None:
    with override(language), override_settings(USE_THOUSAND_SEPARATOR=thousands):
        ours, theirs = both()
    assert ours == theirs
    assert "1234567" in ours or thousands


def test_a_fixed_part_follows_the_language_and_the_prefix_of_addresses() -> None:
    page, context = template("page.html", "annotate.templatetags.fixed_parts.Loader"), Context(VALUES)
    with override("en"):
        english = page.render(context)
    try:
        set_script_prefix("/under/")
        with override("zh-hans"):
            chinese = page.render(context)
    finally:
        set_script_prefix("/")
    assert 'href="/"' in english
    assert 'href="/under/"' in chinese
    assert "Notifications" in english
    assert "Notifications" not in chinese
    with override("en"):
        assert page.render(context) == english


def test_neighbours_are_one_node_and_values_are_not_among_them() -> None:
    nodes = template("frame.html", "annotate.templatetags.fixed_parts.Loader").nodelist
    fixed = [node for node in nodes if isinstance(node, FixedPart | TextNode)]
    assert len(nodes) < len(template("frame.html", DJANGOS).nodelist)
    assert not [pair for pair in pairwise(nodes) if pair[0] in fixed and pair[1] in fixed]
