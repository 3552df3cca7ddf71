"""Who agrees with whom in a project, people and judges by the same code over the same units, and what is behind it."""
