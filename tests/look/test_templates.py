import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.shortcuts import render
from django.template import engines
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory

from annotate.templatetags.ui import STATES

ROOT = Path(settings.BASE_DIR)
FOLDERS = [ROOT / "templates", ROOT / "annotate" / "kinds"]
TEMPLATES = sorted((folder, path) for folder in FOLDERS for path in folder.rglob("*.html"))
ERRORS = ["400", "403", "403_csrf", "404", "409", "413", "429", "429_downloads"]
DRAWN = set(re.findall(r'<symbol id="i-([\w-]+)"', (ROOT / "static/img/icons.svg").read_text()))

every_template = pytest.mark.parametrize(
    ("folder", "path"), TEMPLATES, ids=[str(path.relative_to(ROOT)) for _folder, path in TEMPLATES]
)


def page(name: str, rf: RequestFactory, **context: object) -> str:
    request = rf.get("/somewhere/")
    request.user = AnonymousUser()
    return render(request, name, context).content.decode()


@every_template
def test_every_template_compiles(folder: Path, path: Path) -> None:
    get_template(str(path.relative_to(folder)))


@every_template
def test_no_template_holds_style_or_script(folder: Path, path: Path) -> None:
    text = re.sub(r"{#.*?#}|{% (?:query|with) .*?%}", "", path.read_text())
    assert not re.search(r"\sstyle\s*=|<style|\son[a-z]+\s*=\s*[\"']|javascript:", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))


@every_template
def test_every_icon_that_is_named_exists(folder: Path, path: Path) -> None:
    assert set(re.findall(r'{%\s*icon "([\w-]+)"', path.read_text())) <= DRAWN


def unused_loads(text: str) -> list[str]:
    """The libraries that a template loads without using one of their tags or filters."""
    libraries = engines["django"].engine.template_libraries
    names = {*re.findall(r"{% (\w+)", text), *re.findall(r"\|(\w+)", text)}
    loads = [name for loaded in re.findall(r"{% load ([\w ]+?) %}", text) for name in loaded.split()]
    return [name for name in loads if not names & {*libraries[name].tags, *libraries[name].filters}]


@every_template
def test_no_template_loads_what_it_does_not_use(folder: Path, path: Path) -> None:
    assert not unused_loads(path.read_text())


@every_template
def test_no_library_replaces_a_filter_of_another(folder: Path, path: Path) -> None:
    libraries = engines["django"].engine.template_libraries
    loads = {name for loaded in re.findall(r"{% load ([\w ]+?) %}", path.read_text()) for name in loaded.split()}
    filters = [(name, code) for load in loads for name, code in libraries[load].filters.items()]
    assert len({name for name, _code in filters}) == len(set(filters))


def test_a_load_is_used_by_a_tag_or_by_a_filter() -> None:
    assert unused_loads('{% load i18n ui texts %}{% icon "add" %}{% url "home" %}') == ["i18n", "texts"]
    assert not unused_loads("{% load l10n %}{{ number|unlocalize }}")


def test_every_state_has_an_icon_that_exists() -> None:
    assert {symbol for _look, symbol, _word in STATES.values()} <= DRAWN


@pytest.mark.parametrize("code", ERRORS)
def test_an_error_page_says_what_happened_and_where_to_go(code: str, rf: RequestFactory) -> None:
    text = page(f"{code}.html", rf)
    assert text.count("<h1") == 1
    assert re.search(r'<a class="button button--primary" href="/[^"]*"', text)


@pytest.mark.parametrize("code", ["500", "503", "507"])
def test_a_page_for_failures_of_the_server_needs_nothing(code: str) -> None:
    text = render_to_string(f"{code}.html")
    assert "<h1" in text
    assert "{{" not in text
    assert f'href="{settings.STATIC_URL}css/tokens.css"' in text


def test_a_conflict_shows_both_texts_escaped(rf: RequestFactory) -> None:
    text = page("409.html", rf, mine="<b>mine</b>", theirs="theirs")
    assert "&lt;b&gt;mine&lt;/b&gt;" in text
    assert "theirs" in text


def test_the_appearance_is_written_by_the_server(rf: RequestFactory) -> None:
    rf.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in page("404.html", rf)


def test_an_unknown_appearance_is_the_systems(rf: RequestFactory) -> None:
    rf.cookies["theme"] = '"><b>'
    assert 'data-theme="auto"' in page("404.html", rf)
