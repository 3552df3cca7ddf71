"""Counters of changes, by which remembered results know whether the data that they were made of are still the same.

Triggers count every statement that inserts, changes or deletes verdicts of a judge, or answers in a project, so that no
writer can forget it: counting a million verdicts at each look at a board took longer than the look. Backups leave the
counters out: an installation that is restored begins new ones, whose tokens no older result knows.
"""

from django.db import models


class Changes(models.Model):
    """One of several counters of an owner: on PostgreSQL writers at the same time count in different rows.

    token: drawn when the row is created. Migration 0013 creates the tables.
    """

    id = models.BigAutoField(primary_key=True)
    owner = models.BigIntegerField()
    token = models.BigIntegerField()
    changes = models.BigIntegerField()

    class Meta:
        abstract = True


class VerdictChanges(Changes):
    """owner: a judge."""

    class Meta:
        managed = False
        db_table = "judging_verdictchanges"

    def __str__(self) -> str:
        return f"{self.changes} changes of verdicts of judge {self.owner}"


class AnswerChanges(Changes):
    """owner: the project of the authors."""

    class Meta:
        managed = False
        db_table = "judging_answerchanges"

    def __str__(self) -> str:
        return f"{self.changes} changes of answers in project {self.owner}"
