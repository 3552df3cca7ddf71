"""Getting people ready: a calibration before the queue opens, checks in the stream of work, and what a lead does then.

A check is an item that is no work: its answer is known (the item's base), and each person gets a slot of their own on
it. Nothing here moves an item; what is counted, compared and released are work items alone.
"""
