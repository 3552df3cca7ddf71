"""What several resources of the API say alike."""

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


class Name(serializers.CharField):
    """A person as others see them: never an e-mail address or an account."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)

    def to_representation(self, value: Any) -> str:
        return str(value)


@extend_schema_field(OpenApiTypes.OBJECT)
class Thing(serializers.JSONField):
    """A JSON object whose fields depend on the project's kind (docs/formats.md)."""


class Money(serializers.DecimalField):
    """US dollars, as text, so that no digit is lost."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_digits=16, decimal_places=8, **options)


class ByRole(serializers.Serializer):
    """Leaves out what a role may not see. HIDDEN: role -> names of fields. The context holds the role."""

    HIDDEN: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in self.HIDDEN.get(self.context.get("role", ""), ()):
            self.fields.pop(name)
