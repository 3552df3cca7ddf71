"""A simulated model service: the real protocol on loopback, without a model (docs/simulated-model.md)."""

SIMULATED = "X-Touchstone-Simulated"  # the header by which the server says what it is
