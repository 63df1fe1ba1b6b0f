"""OpenFeature's Python SDK with FeatBit's provider."""

import threading

import pytest
from featbit_openfeature.provider import FeatBitProvider
from openfeature import api
from openfeature.evaluation_context import EvaluationContext
from openfeature.event import ProviderEvent
from openfeature.track import TrackingEventDetails

from commands import flag_that_is_on
from demo import FLAGS, USERS, as_user, expected
from server import DEADLINE

ADA = EvaluationContext("ada", {"name": "Ada"})


@pytest.fixture
def openfeature(client):
    api.set_provider_and_wait(FeatBitProvider(client))
    asking = api.get_client()
    asking.until = client.until
    yield asking
    api.clear_providers()


@pytest.mark.parametrize("user", USERS)
def test_every_flag_of_the_demo(openfeature, user):
    attributes = as_user(user)
    context = EvaluationContext(attributes.pop("key"), attributes)
    ask = {
        "boolean": (openfeature.get_boolean_value, None),
        "string": (openfeature.get_string_value, None),
        "number": (openfeature.get_float_value, None),
        "json": (openfeature.get_object_value, None),
    }
    values = {}
    for flag, entry in FLAGS.items():
        get, default = ask[entry["type"]]
        values[flag] = get(flag, default, context)
    assert values == {flag: expected(flag, user) for flag in FLAGS}


def test_a_change_is_announced_and_served(openfeature, server):
    announced = threading.Event()

    def on_change(details):
        if "of-live" in (details.flags_changed or []):
            announced.set()

    openfeature.add_handler(ProviderEvent.PROVIDER_CONFIGURATION_CHANGED, on_change)
    server.change(*flag_that_is_on("of-live"))
    assert announced.wait(DEADLINE)
    assert openfeature.get_boolean_value("of-live", False, ADA) is True
    server.change({"kind": "turnOff", "flag": "of-live"})
    openfeature.until(lambda: openfeature.get_boolean_value("of-live", True, ADA) is False)


def test_an_archived_flag_gives_the_codes_default(openfeature, server):
    server.change(*flag_that_is_on("of-old"))
    openfeature.until(lambda: openfeature.get_boolean_value("of-old", False, ADA) is True)
    server.change({"kind": "archiveFlag", "flag": "of-old"})
    openfeature.until(lambda: openfeature.get_boolean_value("of-old", False, ADA) is False)
    assert openfeature.get_boolean_value("of-old", True, ADA) is True


def test_track_arrives_in_the_store(openfeature, server):
    openfeature.track("of-bought", ADA, TrackingEventDetails(9.5))
    sql = "SELECT user_key, value FROM metric_events WHERE event = ?"
    assert server.stored(sql, "of-bought") == [("ada", 9.5)]
