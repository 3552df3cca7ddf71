"""Rankings from pairwise battles: Bradley-Terry and related methods. Pure numbers, without Django."""
