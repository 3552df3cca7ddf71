"""Two answers side by side, in both orders: one is better, both are good, or both are bad."""
