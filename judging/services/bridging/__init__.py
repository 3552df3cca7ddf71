"""The bridging workshop: judgements without criteria, what was proposed for them, and what is gained by it."""
