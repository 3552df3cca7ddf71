"""The pages of docs/reference, out of the docstrings of the code itself."""
