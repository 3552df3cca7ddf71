"""A model service made of paper: the real protocol on loopback, without a model (docs/simulated-model.md)."""
