"""What OpenFeature's Python SDK alone has: its events."""

import threading

from openfeature.event import ProviderEvent

from commands import flag_that_is_on
from server import DEADLINE

ADA = {"key": "ada", "name": "Ada", "properties": {}}


def test_a_change_is_announced(openfeature, server):
    announced = threading.Event()

    def on_change(details):
        if "announced" in (details.flags_changed or []):
            announced.set()

    changed = ProviderEvent.PROVIDER_CONFIGURATION_CHANGED
    openfeature.openfeature.add_handler(changed, on_change)
    server.change(*flag_that_is_on("announced"))
    assert announced.wait(DEADLINE)
    openfeature.shows(ADA, announced=True)
