"""May a judge stand in for people? Everything that a lead decides it by, out of the same ratings."""
