"""Files whose rows bring their items along: what is voted on, people's votes under their names, judges' verdicts."""
