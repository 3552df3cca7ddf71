from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from annotate.management.command import ContractCommand
from annotate.models import User
from annotate.people.accounts import password_link


class Command(ContractCommand):
    help = "Print a one-time password reset link for an account; for installations without a mail server."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"], is_active=True).first()
        if user is None:
            self.refuse(f"There is no active account {options['username']!r}.")
            return
        link = settings.SITE_URL + password_link(user, by=None)
        self.report({"username": user.username, "link": link}, as_json=options["json"], text=link)
