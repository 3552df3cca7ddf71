"""A whole installation under load while everything that can break is broken, and a proof at the end that nothing was.

`make soak` runs it for ten minutes on each database. docs/soak.md says what happens in it and what is proven.
"""
