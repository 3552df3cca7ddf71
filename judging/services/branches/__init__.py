"""What judges said criterion by criterion: curves, criteria, corrections and their gain, and how systems are ranked."""
