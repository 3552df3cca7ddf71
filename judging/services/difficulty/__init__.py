"""Items that even weak candidates solve: finding them, dropping them with the run as evidence, taking that back."""
