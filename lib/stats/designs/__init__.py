"""What people are asked about: at random, balanced, or where the ranking is uncertain. Pure."""
