from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.schema import operation, page_of
from annotate.api.views import ONLY_LEADS, PageQuery, ProjectView, newest_page
from annotate.audit.queries import entries_of
from annotate.models import AuditEntry


class AuditEntrySerializer(serializers.ModelSerializer):
    """What a lead, an administrator or a command changed, or which file somebody downloaded."""

    account = serializers.CharField(help_text="The account; of a command, that of the operating system.")
    before = serializers.JSONField(source="values_before", help_text="The values that changed; null if none.")
    after = serializers.JSONField(source="values_after", help_text="What they became; null if nothing.")

    class Meta:
        model = AuditEntry
        fields: Any = [
            *("number", "at", "account", "role", "address", "channel", "verb", "subject_kind", "subject_key"),
            *("before", "after", "previous_hash", "hash"),
        ]


class AuditList(ProjectView):
    roles = ONLY_LEADS

    @operation(
        "audit_list",
        "The audit trail, newest first",
        page_of("AuditEntry", AuditEntrySerializer),
        errors=(422,),
        parameters=[PageQuery],
        description="`number` counts the entries of the whole installation; those of other projects are not listed.",
    )
    def get(self, request: Request, slug: str) -> Response:
        return newest_page(request, entries_of(self.project), AuditEntrySerializer, column="number")
