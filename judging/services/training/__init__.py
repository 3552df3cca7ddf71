"""Data to train a judge with: chats for each step of judging, and pairs of a better and a worse answer.

Nothing is stored: every reading goes over the project as it is, so that a text that was withdrawn is in none of them.
"""
