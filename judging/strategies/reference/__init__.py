"""One answer beside a trusted one gets a score: freely, or as evaluators with a rubric from 1 to 5 do it."""
