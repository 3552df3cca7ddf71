"""A definition with every type of question, its columns, a person's answers, and a model's reply that says the same."""

from typing import Any

EVERY_TYPE = """show:
  - {field: prompt}
  - {field: a}
  - {field: b}
  - {field: log, as: chat}
questions:
  - {name: good, type: rating, scale: {"1": bad, "5": good}}
  - {name: safe, type: choice, options: ["yes", "no"], when: {good: at least 2}}
  - {name: topics, type: choices, options: [news, code], required: false}
  - {name: better, type: pair, of: [a, b]}
  - {name: order, type: ranking, of: [a, b]}
  - {name: fixed, type: text, start: a}
  - {name: price, type: number, step: "0.5"}
  - {name: errors, type: spans, on: [a, b], labels: [Wrong, Odd], attributes: {severity: [Minor, Major]}}
  - {name: rubric, type: rubric, from: rubric}
  - {name: first_wrong, type: step, of: log, none: No wrong step}
  - {name: steps, type: choice, options: [right, wrong], on_each: turns, of: log}
  - {name: ideal, type: criteria, most: 3}
"""
LOG = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
CRITERIA = [{"criterion": "Is short", "points": 2}, {"criterion": "Shouts", "points": -1, "tags": ["tone"]}]
COLUMNS = {"prompt": "p", "a": "A cat 🐈 sat", "b": "Two", "log": LOG, "rubric": CRITERIA, "model": "m-1"}
SPAN = {"field": "a", "start": 2, "end": 7, "text": "cat 🐈", "label": "Odd", "severity": "Major", "note": "So?"}
ANSWERS: dict[str, Any] = {
    "good": 4, "safe": "yes", "topics": [], "better": "second", "order": [2, 1], "fixed": "A, =cat", "price": 2.5,
    "errors": [SPAN], "rubric": ["met", "cannot_tell"], "first_wrong": 1, "steps": [{"turn": 1, "value": "wrong"}],
    "ideal": [
        {"criterion": "Names the cat", "points": 3, "tags": ["content"]},
        {"criterion": "Guesses", "points": -1.5},
    ],
}  # fmt: skip
# Somebody else's, who answers every question differently.
OTHER_ANSWERS: dict[str, Any] = {
    "good": 2, "safe": "no", "topics": ["code"], "better": "tie", "order": [1, 2], "fixed": "A dog", "price": 3,
    "errors": [
        {**SPAN, "label": "Wrong"},
        {"field": "b", "start": 0, "end": 3, "text": "Two", "label": "Odd", "severity": "Minor"},
    ],
    "rubric": ["not_met", "met"], "first_wrong": "none", "steps": [{"turn": 1, "value": "right"}],
    "ideal": [{"criterion": "Says where", "points": 2}],
}  # fmt: skip
# What a model says for ANSWERS. It marks spans by quoting, and names criteria and turns.
REPLY: dict[str, Any] = ANSWERS | {
    "topics": ["news"],
    "errors": [{"field": "a", "quote": "cat 🐈", "occurrence": 1, "label": "Odd", "severity": "Major", "note": "So?"}],
    "rubric": {"1": "met", "2": "cannot_tell"},
    "first_wrong": "1",
    "steps": {"1": "wrong"},
    "ideal": [
        {"criterion": "Names the cat ", "points": 3, "tags": ["content", " "]},
        {"criterion": "Guesses", "points": -1.5, "tags": []},
    ],
}
