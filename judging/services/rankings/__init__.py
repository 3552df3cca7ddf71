"""Rankings of the authors of a project, by what people prefer and by what judges do."""
