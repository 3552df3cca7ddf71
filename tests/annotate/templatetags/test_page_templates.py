"""Pages have no white space between Chinese sentences; what people wrote stays as it is."""

import re

import pytest
from django.conf import settings
from django.template import engines
from django.utils.translation import override

from annotate.templatetags.fixed_texts import GAP
from annotate.templatetags.page_templates import PageTemplate, PageTemplates

PAGE = """{% load i18n %}{% blocktranslate trimmed %}
  The server did not answer. What you typed is still here; try again when the connection is back.
{% endblocktranslate %}
{% if missing %}x{% endif %}
<b>{% translate "Decided." %}</b>
95 {{ theirs }} {% translate "Decided." %} {{ theirs }} {% include "sentence.html" %}
<i>1</i> {% translate "Decided." as text %}{{ text }} 1
<textarea>{{ theirs }}</textarea>{% translate "Decided." %}"""
SENTENCE = """{% load i18n %}{% translate "Decided." %}
"""
THEIRS = {"theirs": "他说。 好"}


@pytest.fixture(params=["django.template.loaders.cached.Loader", "annotate.templatetags.fixed_parts.Loader"])
def page(request: pytest.FixtureRequest) -> PageTemplate:
    texts = {"page.html": PAGE, "sentence.html": SENTENCE}
    loaders = [(request.param, [("django.template.loaders.locmem.Loader", texts)])]
    options = settings.TEMPLATES[0]["OPTIONS"] | {"loaders": loaders}
    return PageTemplates({"NAME": "here", "DIRS": [], "APP_DIRS": False, "OPTIONS": options}).get_template("page.html")


def test_no_white_space_of_a_template_follows_a_full_width_mark(page: PageTemplate) -> None:
    with override("zh-hans"):
        sentences, form = page.render(THEIRS).split("<textarea>")
    assert re.findall(r"[。；]\s+\S", sentences) == ["。 好"] * 2 + ["。 1"]  # theirs, and a variable of the template
    assert "。</b>95 他说。 好 已决定。他说。 好 已决定。<i>1</i>" in sentences
    assert form == "他说。 好</textarea>已决定。"


def test_english_sentences_stay_apart(page: PageTemplate) -> None:
    with override("en"):
        assert "Decided. 他说。 好 Decided.\n\n<i>1</i>" in page.render(THEIRS)


def test_a_template_from_text_has_no_gap_either() -> None:
    with override("zh-hans"):
        assert GAP not in engines["django"].from_string(SENTENCE).render()
