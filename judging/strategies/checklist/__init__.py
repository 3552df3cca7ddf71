"""A checklist of yes/no questions, each answered with its reason."""
