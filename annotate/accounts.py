from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class InvitedOnly(DefaultAccountAdapter):
    """Nobody signs up by themselves: accounts are made by an invitation or by command."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
