"""Programs that speak to the API in tests: a client with a token."""

from typing import Any

from django.test import Client

from annotate.models import Member
from annotate.people import tokens


def token_for(member: Member, role: str = "", **options: Any) -> str:
    """The secret of a new token that this member has made, with their own role unless another is named."""
    return tokens.make(by=member, name=f"of {member}"[:80], role=role or member.role, **options).secret


def with_token(secret: str, **options: Any) -> Client:
    return Client(headers={"authorization": f"Bearer {secret}"}, **options)


def program(member: Member, role: str = "", **options: Any) -> Client:
    return with_token(token_for(member, role), **options)
