"""What a dataset is made of: labels and lengths of all its items, read once for each state of the project."""
