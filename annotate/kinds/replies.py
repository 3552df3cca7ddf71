"""Reply shapes that kinds and judges ask for alike: criteria, what their scores mean, a corrected response.

Names and docstrings are part of the schema that a model is sent, and of the digest of a request.
"""

from annotate.kinds.shapes import AnswerShape


class Criterion(AnswerShape):
    """name: two or three words; description: what is looked at."""

    name: str
    description: str


class Criteria(AnswerShape):
    criteria: list[Criterion]


class Levels(AnswerShape):
    """What a response of each score looks like, the worst first."""

    level_1: str
    level_2: str
    level_3: str
    level_4: str
    level_5: str

    def in_order(self) -> list[str]:
        return [self.level_1, self.level_2, self.level_3, self.level_4, self.level_5]


class Corrected(AnswerShape):
    corrected_response: str
