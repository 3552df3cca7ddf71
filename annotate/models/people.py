import secrets

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """An account of this installation; its memberships decide what the person may do."""

    class Theme(models.TextChoices):
        AUTO = "auto", _("System default")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    class Mails(models.TextChoices):
        AT_ONCE = "at_once", _("At once, what needs you")
        DAILY = "daily", _("Once a day, everything unread")
        WEEKLY = "weekly", _("Once a week, everything unread")
        NEVER = "never", _("Never")

    display_name = models.CharField(_("display name"), max_length=80, blank=True)
    theme = models.CharField(_("appearance"), max_length=5, choices=Theme, default=Theme.AUTO)
    language = models.CharField(_("language"), max_length=10, blank=True)
    keys = models.JSONField(_("custom keys"), default=dict, blank=True)
    tours = models.JSONField(default=dict, blank=True)  # annotate/doors/tour.py
    mails = models.CharField(_("notifications by mail"), max_length=7, choices=Mails, default=Mails.AT_ONCE)

    def __str__(self) -> str:
        return self.display_name or self.get_full_name() or self.username

    @property
    def initials(self) -> str:
        words = str(self).split()
        return "".join(word[0] for word in words[:2]).upper()


class MemberQuerySet(models.QuerySet["Member"]):
    def of(self, user: User) -> "MemberQuerySet":
        return self.filter(user=user)

    def who_can(self, *roles: str) -> "MemberQuerySet":
        return self.filter(role__in=roles)


class Member(models.Model):
    """A person's place in a project. Without one, the project does not exist for them."""

    class Role(models.TextChoices):
        LEAD = "lead", _("Lead")
        REVIEWER = "reviewer", _("Reviewer")
        ANNOTATOR = "annotator", _("Annotator")
        VIEWER = "viewer", _("Viewer")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=9, choices=Role)
    daily_limit = models.PositiveIntegerField(_("daily limit"), null=True, blank=True)
    total_limit = models.PositiveIntegerField(_("total limit"), null=True, blank=True)
    languages = models.JSONField(_("only these languages"), default=list, blank=True)
    groups = models.JSONField(_("only these groups"), default=list, blank=True)
    joined_at = models.DateTimeField(default=timezone.now)
    calibrated_at = models.DateTimeField(
        null=True, blank=True
    )  # when they passed; without a calibration it means nothing
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_reason = models.TextField(_("why they are paused"), blank=True)
    item_columns = models.JSONField(default=list, blank=True)  # of the list of items; [] stands for the default ones
    checks_since = models.DateTimeField(null=True, blank=True)  # a lead let them continue: earlier checks do not count

    objects = MemberQuerySet.as_manager()

    class Meta:
        ordering = ["joined_at"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="a_person_is_in_a_project_once"),
            models.CheckConstraint(condition=Q(paused_at=None) | ~Q(paused_reason=""), name="paused_people_hear_why"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"

    @property
    def leads(self) -> bool:
        return self.role == self.Role.LEAD

    @property
    def reviews(self) -> bool:
        return self.role in (self.Role.LEAD, self.Role.REVIEWER)

    @property
    def annotates(self) -> bool:
        return self.role != self.Role.VIEWER

    @property
    def stages(self) -> list[str]:
        """The stages of work that this person is handed."""
        return (["review", "adjudicate"] if self.reviews else []) + (["annotate"] if self.annotates else [])


def new_invitation_token() -> str:
    return secrets.token_urlsafe(24)


class Invitation(models.Model):
    """A link for one person to join a project in one role, once, while its creator may invite (annotate/rights.py)."""

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="invitations")
    role = models.CharField(_("role"), max_length=9, choices=Member.Role)
    email = models.EmailField(_("e-mail"), blank=True)
    note = models.CharField(_("invitee"), max_length=120, blank=True)
    token = models.CharField(max_length=48, unique=True, default=new_invitation_token)
    created_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(revoked_at=None), name="a_revoked_invitation_is_not_accepted"
            )
        ]

    def __str__(self) -> str:
        return f"{self.role} in {self.project_id}"


class Notification(models.Model):
    """A line in somebody's inbox: an item was returned, answered, or finished.

    awaits_digest: whether the person's next digest is to mention it; False for what no digest mentions.
    """

    class Verb(models.TextChoices):
        RETURNED = "returned", _("returned to you")
        ANSWERED = "answered", _("answered")
        ACCEPTED = "accepted", _("accepted")
        DROPPED = "dropped", _("dropped")
        ASSIGNED = "assigned", _("assigned to you")
        IMPORTED = "imported", _("import finished")
        RELEASED = "released", _("release finished")
        REMOVED = "removed", _("taken back from you")
        FINISHED = "finished", _("run finished")
        STOPPED = "stopped", _("run stopped early")
        DISPUTED = "disputed", _("disputed")
        DECIDED = "decided", _("dispute decided")
        ASKED = "asked", _("asked about the guidelines")
        RULED = "ruled", _("ruled on your question")
        PAUSED = "paused", _("paused")
        RESUMED = "resumed", _("work resumed")
        CALIBRATE = "calibrate", _("calibration")
        REJECTED = "rejected", _("import failed")

    user = models.ForeignKey(User, models.CASCADE, related_name="notifications")
    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="+")
    item = models.ForeignKey("annotate.Item", models.CASCADE, null=True, blank=True, related_name="+")
    run = models.ForeignKey("annotate.Run", models.CASCADE, null=True, blank=True, related_name="+")
    actor = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    verb = models.CharField(max_length=9, choices=Verb)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True)
    awaits_digest = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["user"], name="notifications_unread", condition=Q(read_at=None)),
            models.Index(fields=["user", "created_at"], name="awaiting_a_digest", condition=Q(awaits_digest=True)),
        ]

    def __str__(self) -> str:
        return f"{self.verb} for {self.user_id}"

    def get_verb_display(self) -> str:  # type: ignore[no-redef]  # the plugin of mypy knows of Django's
        """In place of Django's, which goes through all verbs at each call."""
        return str(VERBS.get(self.verb, self.verb))


VERBS = dict(Notification.Verb.choices)


class Digest(models.Model):
    """One mail to a person about what happened before its period began, sent under a lease.

    lines: how many notifications it mentioned; 0 where they were read before it was sent, and where it was given up
    because the mail server refused it again and again.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="digests")
    period = models.DateTimeField()  # the morning on which it is due
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    lines = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["user", "period"], name="a_person_has_one_digest_a_period")]

    def __str__(self) -> str:
        return f"digest for {self.user_id}"
