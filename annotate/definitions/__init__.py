"""Own questions: the versions of a project's definition, and what a new one does to stored answers."""
