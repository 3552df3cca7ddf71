"""Our own pure libraries: texts, statistics, charts and the simulated model. They import no app and no model."""
