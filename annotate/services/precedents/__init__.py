"""Questions about a field, the leads' rulings, and who is shown which of them where."""

from annotate.services.precedents.asking import ask, read_anyway
from annotate.services.precedents.ruling import Outruled, rule, withdraw
from annotate.services.precedents.seeing import shown_to
from annotate.services.precedents.similar import AtField, at_fields

__all__ = ["AtField", "Outruled", "ask", "at_fields", "read_anyway", "rule", "shown_to", "withdraw"]
