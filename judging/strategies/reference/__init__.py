"""One answer with a trusted one gets a score: freely, or in the form of evaluators with a rubric from 1 to 5."""
