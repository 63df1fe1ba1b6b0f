"""What FeatBit's Python SDK alone has: listeners, and telling of a user."""

import json
import threading

from commands import flag_that_is_on
from sdks import ABSENT
from server import DEADLINE

ADA = {"key": "ada", "name": "Ada", "properties": {}}
ATTRIBUTES = {"key": "ada", "name": "Ada"}


def test_a_listener_hears_of_a_change(fbclient, server):
    server.change(*flag_that_is_on("heard"))
    fbclient.shows(ADA, heard=True)
    heard = []
    told = threading.Event()

    def listener(flag, old, new):
        heard.append((flag, old, new))
        told.set()

    tracker = fbclient.client.flag_tracker
    tracker.add_flag_value_changed_listener("heard", ATTRIBUTES, listener)
    server.change({"kind": "turnOff", "flag": "heard"})
    assert told.wait(DEADLINE)
    assert heard == [("heard", True, False)]


def test_a_listener_hears_of_a_change_after_another_flag_was_archived(fbclient, server):
    server.change(*flag_that_is_on("past"), *flag_that_is_on("present"))
    fbclient.shows(ADA, present=True)
    server.change({"kind": "archiveFlag", "flag": "past"})
    fbclient.shows(ADA, past=ABSENT)
    told = threading.Event()
    tracker = fbclient.client.flag_tracker
    tracker.add_flag_value_changed_listener("present", ATTRIBUTES, lambda *change: told.set())
    # This SDK stops announcing at the first archived item of a message.
    server.change({"kind": "turnOff", "flag": "present"})
    assert told.wait(DEADLINE)


def test_identify_makes_the_user_known(fbclient, server):
    fbclient.client.identify({"key": "identified", "name": "Grace", "team": "compilers"})
    rows = server.stored("SELECT name, properties FROM end_users WHERE key = ?", "identified")
    assert [(name, json.loads(properties)) for name, properties in rows] == [
        ("Grace", [["team", "compilers"]])
    ]


def test_an_evaluation_is_counted_once(fbclient, server):
    server.change(*flag_that_is_on("counted"))
    fbclient.shows(ADA, counted=True)
    sql = "SELECT SUM(count) FROM counts_minute WHERE flag = ? HAVING SUM(count) > 0"
    assert server.stored(sql, "counted") == [(1,)]
