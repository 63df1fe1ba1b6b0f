"""The SDK's own storage, which also says when something was written to it."""

import threading

from fbclient.data_storage import InMemoryDataStorage

from server import DEADLINE


class Watched(InMemoryDataStorage):
    """In memory, as the SDK has it; `watch` and `until` look after each write."""

    def __init__(self):
        super().__init__()
        self._written = threading.Condition()
        self._watchers = []

    def init(self, *arguments, **named):
        try:
            return super().init(*arguments, **named)
        finally:
            self._tell()

    def upsert(self, *arguments, **named):
        try:
            return super().upsert(*arguments, **named)
        finally:
            self._tell()

    def until(self, condition):
        """Waits until `condition` holds."""
        with self._written:
            assert self._written.wait_for(condition, DEADLINE), "never seen"

    def watch(self, look):
        """Calls `look` after each write from now on."""
        with self._written:
            self._watchers.append(look)

    def _tell(self):
        with self._written:
            for look in self._watchers:
                look()
            self._written.notify_all()
