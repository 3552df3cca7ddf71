"""The first question of each sort goes alone, so that a refusal which teaches something is paid for once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

PATIENCE = 5.0  # seconds that others wait for the first answer; a service that hangs must not hold them
LEADERS = 5  # calls that go one after the other without success; then all go


class FirstCalls:
    """The turns of one worker. is_confirmed: whether the service has ever answered a question of this sort."""

    def __init__(self, is_confirmed: Callable[[str], bool]) -> None:
        self.is_confirmed = is_confirmed
        self.leading: dict[str, asyncio.Event] = {}
        self.leaders: dict[str, int] = {}

    @asynccontextmanager
    async def turn(self, sort: str) -> AsyncIterator[None]:
        """Within, a question of this sort may be asked."""
        while not self._is_open(sort) and sort in self.leading:
            await self._wait(sort)
        if self._is_open(sort):
            yield
            return
        self.leaders[sort] = self.leaders.get(sort, 0) + 1
        ended = self.leading[sort] = asyncio.Event()
        try:
            yield
        finally:
            self.leading.pop(sort, None)
            ended.set()

    def _is_open(self, sort: str) -> bool:
        return self.leaders.get(sort, 0) >= LEADERS or self.is_confirmed(sort)

    async def _wait(self, sort: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self.leading[sort].wait()
        except TimeoutError:
            self.leaders[sort] = LEADERS
