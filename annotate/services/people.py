"""Members of a project."""

from django.db import transaction

from annotate.models import Member, Project, User


def add_member(*, project: Project, username: str, role: str, password: str | None = None) -> Member:
    """Put a person into a project, or change their role there; the account is made where it is missing.

    Without a password a new account cannot sign in until an administrator makes a reset link.
    """
    with transaction.atomic():
        user = User.objects.filter(username=username).first()
        if user is None:
            user = User.objects.create_user(username, password=password)
        elif password:
            user.set_password(password)
            user.save(update_fields=["password"])
        member, _made = Member.objects.update_or_create(project=project, user=user, defaults={"role": role})
    return member
