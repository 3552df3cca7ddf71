"""What a person would read of a page, and where its links lead."""

import re
from typing import Any

from django.test import Client


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def html_of(client: Client, address: str, status: int = 200, **options: Any) -> str:
    answer = client.get(address, **options)
    assert answer.status_code == status
    return answer.content.decode()


def said(html: str) -> str:
    """The words alone, in one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split()).replace(" ,", ",")


def text_of(answer: Any) -> str:
    return said(answer.content.decode())


def following(html: str, rel: str) -> str:
    (address,) = re.findall(rf'href="([^"]+)" rel="{rel}"', html)
    return address.replace("&amp;", "&")


def nav_of(html: str, name: str) -> str:
    """The navigation with this id; "" where the page has none."""
    match = re.search(rf'<nav[^>]* id="{name}".*?</nav>', html, re.DOTALL)
    return match[0] if match else ""
