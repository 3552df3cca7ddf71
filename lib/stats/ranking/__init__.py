"""Who is better, out of battles of two: Bradley-Terry and what goes with it. Pure numbers, without Django."""
