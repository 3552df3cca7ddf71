"""The audit trail: what leads and administrators changed, in a chain of hashes that only grows."""

import json
from typing import Any

from django.db import models
from django.db.models import Q


class AuditEntry(models.Model):
    """One change by a lead, an administrator or a command. Triggers of the database refuse to update or delete it.

    number: its position in the chain of the installation, from 1 without gaps. before, after: JSON texts of what
    differs, null where there is nothing. Texts and not JSON columns, because the hash covers their exact characters.
    project, person: keys without a constraint, because an entry stays when what it is about is deleted; the slug and
    the account's name are kept beside them.
    """

    number = models.PositiveBigIntegerField(primary_key=True)
    at = models.DateTimeField()
    project = models.ForeignKey(
        "annotate.Project", models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="+"
    )
    project_slug = models.CharField(max_length=60, blank=True)
    person = models.ForeignKey(
        "annotate.User", models.DO_NOTHING, null=True, db_constraint=False, db_index=False, related_name="+"
    )
    account = models.CharField(max_length=150, blank=True)
    role = models.CharField(max_length=20, blank=True)
    address = models.CharField(max_length=45, blank=True)
    channel = models.CharField(max_length=120, blank=True)
    verb = models.CharField(max_length=40)
    subject_kind = models.CharField(max_length=40)
    subject_key = models.CharField(max_length=200, blank=True)
    before = models.TextField(default="null")
    after = models.TextField(default="null")
    previous_hash = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["-number"]
        indexes = [models.Index(fields=["project", "-number"], name="audit_entries_of_a_project")]

    def __str__(self) -> str:
        return f"{self.number} {self.verb} {self.subject_kind} {self.subject_key}"

    @property
    def values_before(self) -> Any:
        return json.loads(self.before)

    @property
    def values_after(self) -> Any:
        return json.loads(self.after)


class AuditHead(models.Model):
    """The end of the chain: one row, made with the first entry. Whoever appends locks it."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    number = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="an_audit_trail_has_one_head")]

    def __str__(self) -> str:
        return f"{self.number} {self.hash}"
