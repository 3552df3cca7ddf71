"""What a reply costs.

Whether a run may send another request is decided in the transaction that writes it down (see ledger.py), by what is
committed then: so a run ends at its budget, and at most one call for each place in flight above it.
"""

from decimal import Decimal

from annotate.models import Endpoint

MILLION = Decimal(1_000_000)
SMALLEST = Decimal("0.00000001")
MOST = Decimal("999999.99999999")  # what the ledger's column holds


def cost_of(endpoint: Endpoint, tokens_in: int, tokens_out: int) -> Decimal:
    """USD, in whole hundred-millionths; 0 at an endpoint without prices."""
    cost = (endpoint.price_in * tokens_in + endpoint.price_out * tokens_out) / MILLION
    return min(cost.quantize(SMALLEST), MOST)
