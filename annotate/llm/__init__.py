"""The only code that talks to a model: asking, the ledger of what was asked, and the engine that works a run."""
