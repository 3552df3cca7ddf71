"""Making projects."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError

from annotate.kinds import UnknownKind, find_kind
from annotate.kinds.shapes import faults
from annotate.models import Project
from annotate.services.errors import Refused


def create_project(
    *, slug: str, kind: str, name: str = "", options: Mapping[str, Any] | None = None, **columns: Any
) -> Project:
    """A new, empty project. columns: fields of Project such as reviews or lease_minutes.

    Raises Refused with a message about the slug, the kind or the option at fault.
    """
    if Project.objects.filter(slug=slug).exists():
        raise Refused(_("There is a project “%(slug)s” already. Choose another address.") % {"slug": slug})
    try:
        options = find_kind(kind).options.model_validate(options or {}).model_dump(exclude_unset=True)
    except UnknownKind as unknown:
        raise Refused(str(unknown)) from unknown
    except ValidationError as error:
        raise Refused("; ".join(f"{found.path}: {found.message}" for found in faults(error))) from error
    with transaction.atomic():
        return Project.objects.create(slug=slug, kind_slug=kind, name=name or slug, options=options, **columns)
