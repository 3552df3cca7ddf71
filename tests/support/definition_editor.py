"""A lead at the page of questions without scripts: what the form holds is sent with the next button."""

import html
import json
import re
from typing import Any

from django.test import Client

from annotate.models import Project
from tests.support.people import make_member


class Editor:
    """A lead at the page without scripts: what the form holds is sent with the next button."""

    def __init__(self, client: Client, project: Project, address: str = "") -> None:
        client.force_login(make_member(project, "lead").user)
        self.client, self.project = client, project
        self.show(client.get(f"/p/{project.slug}/questions/{address}"))

    def show(self, answer: Any) -> "Editor":
        self.answer, self.page = answer, answer.content.decode()
        return self

    @property
    def filled(self) -> dict[str, Any]:
        """name -> values of the form, as a browser sends them."""
        form = re.search(r'<form[^>]*id="definition-form".*?</form>', self.page, re.DOTALL)
        assert form
        values: dict[str, list[str]] = {}
        for tag in re.finditer(
            r"<input[^>]*>|<textarea[^>]*>.*?</textarea>|<select[^>]*>.*?</select>", form[0], re.DOTALL
        ):
            name, value = _name(tag[0]), _value(tag[0])
            if name and value is not None:
                values.setdefault(name, []).append(value)
        return dict(values)

    def send(self, **more: Any) -> "Editor":
        return self.show(self.client.post(f"/p/{self.project.slug}/questions/", {**self.filled, **more}))

    def do(self, what: str, **more: Any) -> "Editor":
        return self.send(do=what, **more)

    @property
    def document(self) -> dict[str, Any]:
        return dict(json.loads(self.filled["document"][0]))

    @property
    def names(self) -> list[str]:
        return [question["name"] for question in self.document["questions"]]

    @property
    def saved(self) -> str:
        newest = self.project.definitions.first()
        assert newest
        return newest.text


def _name(tag: str) -> str | None:
    found = re.match(r'<\w+[^>]*?\sname="([^"]*)"', tag)
    return found[1] if found and found[1] != "csrfmiddlewaretoken" else None


def _value(tag: str) -> str | None:
    """None for a box that is not ticked."""
    if tag.startswith("<textarea"):
        return html.unescape(re.sub(r"^<textarea[^>]*>\n?|</textarea>$", "", tag))
    if tag.startswith("<select"):
        found = re.search(r'<option value="([^"]*)"\s+selected', tag) or re.search(r'<option value="([^"]*)"', tag)
        return html.unescape(found[1]) if found else ""
    found = re.search(r'\svalue="([^"]*)"', tag)
    if 'type="checkbox"' in tag and " checked" not in tag:
        return None
    return html.unescape(found[1]) if found else "on" if "checkbox" in tag else ""
