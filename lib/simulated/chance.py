"""Reproducible randomness: the same for the same seed and request."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Draws by name: the draw for one part does not depend on the number of draws for other parts."""

    def __init__(self, seed: int, digest: str) -> None:
        self._root = f"{seed}/{digest}"

    def of(self, *name: object) -> random.Random:
        """A generator of its own for this name."""
        key = "/".join([self._root, *map(str, name)])
        return random.Random(hashlib.blake2b(key.encode(), digest_size=8).digest())  # noqa: S311 - play, no secret

    def happens(self, share: float, *name: object) -> bool:
        return self.of(*name).random() < share

    def one(self, values: Sequence[T], *name: object) -> T:
        return self.of(*name).choice(values)

    def some(self, values: Sequence[T], count: int, *name: object) -> list[T]:
        """`count` different values in the given order; all of them if there are fewer."""
        indices = set(self.of(*name).sample(range(len(values)), min(count, len(values))))
        return [value for index, value in enumerate(values) if index in indices]
