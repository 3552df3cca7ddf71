"""Statistics of verdicts, ratings and votes. Pure: numpy, no Django, no database."""
