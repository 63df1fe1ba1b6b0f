"""What the SDK reports arrives in the store."""

import json

from commands import flag_that_is_on

GRACE = {"key": "py-grace", "name": "Grace", "team": "compilers"}


def test_a_metric_event_with_its_value_and_its_user(client, server):
    client.track_metric(GRACE, "py-compiled", 42.5)
    sql = "SELECT user_key, value FROM metric_events WHERE event = ?"
    assert server.stored(sql, "py-compiled") == [("py-grace", 42.5)]


def test_identify_makes_the_user_known(client, server):
    client.identify({**GRACE, "key": "py-identified"})
    rows = server.stored("SELECT name, properties FROM end_users WHERE key = ?", "py-identified")
    assert [(name, json.loads(properties)) for name, properties in rows] == [
        ("Grace", [["team", "compilers"]])
    ]


def test_an_evaluation_is_counted_once(client, server):
    server.change(*flag_that_is_on("py-counted"))
    client.until(lambda: client.is_flag_known("py-counted"))
    assert client.variation("py-counted", GRACE, False) is True
    sql = "SELECT SUM(count) FROM counts_minute WHERE flag = ? HAVING SUM(count) > 0"
    assert server.stored(sql, "py-counted") == [(1,)]
