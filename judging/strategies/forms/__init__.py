"""Judges that answer the own questions of a project about its items, as people do."""
