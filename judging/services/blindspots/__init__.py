"""Where judges are blind: verdicts on gold and perturbed answers read, counted by cell, compared."""
