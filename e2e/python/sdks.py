"""The SDKs as adapters: programs that ask for flags, all in the same words, so that one list of
journeys serves them all. Users are those of demo.json: key, name, properties."""

import uuid

from fbclient.client import FBClient
from fbclient.config import Config
from featbit_openfeature.provider import FeatBitProvider
from openfeature import api
from openfeature.evaluation_context import EvaluationContext
from openfeature.provider import ProviderStatus
from openfeature.provider.no_op_provider import NoOpProvider
from openfeature.track import TrackingEventDetails

from demo import FLAGS
from server import DEADLINE
from watched import Watched

# The value of a flag that is not there: whatever default the code gives, it comes back.
ABSENT = None


class Program:
    """A program with a client of FeatBit's Python SDK; `wait` is for how long it waits to be
    ready, in seconds."""

    def __init__(self, secret, url, wait=DEADLINE):
        self._storage = Watched()
        streaming = url.replace("http", "ws")
        config = Config(secret, event_url=url, streaming_url=streaming, data_storage=self._storage)
        self.client = FBClient(config, start_wait=wait)

    def values(self, user):
        """The values of all flags of the demo."""
        return {flag: self.ask(flag, entry["type"], user, None) for flag, entry in FLAGS.items()}

    def shows(self, user, **wanted):
        """Waits until boolean flags have these values."""

        def as_wanted():
            for flag, value in wanted.items():
                defaults = (True, False) if value is ABSENT else (not value,)
                for default in defaults:
                    answer = default if value is ABSENT else value
                    if self.ask(flag, "boolean", user, default) is not answer:
                        return False
            return True

        self._storage.until(as_wanted)

    def arrivals(self, user, flags):
        """A list that gets the values of boolean flags after each arrival of data."""
        seen = []
        self._storage.watch(
            lambda: seen.append([self.ask(flag, "boolean", user, True) for flag in flags])
        )
        return seen


class FeatBit(Program):
    """FeatBit's own SDK."""

    name = "fb-python-sdk"

    def is_ready(self):
        return self.client.initialize

    def ask(self, flag, _, user, default):
        return self.client.variation(flag, _attributes(user), default)

    def track(self, user, event, value):
        self.client.track_metric(_attributes(user), event, value)

    def close(self):
        self.client.stop()


class OpenFeature(Program):
    """OpenFeature's SDK with FeatBit's provider."""

    name = "featbit-openfeature-server"

    def __init__(self, secret, url, wait=DEADLINE):
        super().__init__(secret, url, wait)
        self._domain = str(uuid.uuid4())
        provide = api.set_provider_and_wait if wait else api.set_provider
        provide(FeatBitProvider(self.client), self._domain)
        self.openfeature = api.get_client(self._domain)

    def is_ready(self):
        return self.openfeature.get_provider_status() == ProviderStatus.READY

    def ask(self, flag, kind, user, default):
        get = {
            "boolean": self.openfeature.get_boolean_value,
            "string": self.openfeature.get_string_value,
            "number": self.openfeature.get_float_value,
            "json": self.openfeature.get_object_value,
        }
        return get[kind](flag, default, _context(user))

    def track(self, user, event, value):
        self.openfeature.track(event, _context(user), TrackingEventDetails(value))

    def close(self):
        # Whom it replaces is shut down.
        api.set_provider(NoOpProvider(), self._domain)


def _attributes(user):
    return {"key": user["key"], "name": user["name"], **user["properties"]}


def _context(user):
    return EvaluationContext(user["key"], {"name": user["name"], **user["properties"]})
