"""Drawing answers, or pairs of them, for people to vote on without knowing whose they are."""
