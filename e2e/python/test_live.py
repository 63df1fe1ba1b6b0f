"""Changes reach a connected SDK."""

import logging
import threading

from commands import flag_that_is_on, flag_with_segment
from server import DEADLINE

ADA = {"key": "ada", "name": "Ada"}


def serves(client, flag, value):
    """Waits until a boolean flag has a value; the default is the other one."""
    client.until(lambda: client.variation(flag, ADA, not value) is value)


def gives_the_default(client, flag):
    """Waits until a flag is not there: whatever the default, it is what comes back."""
    client.until(
        lambda: all(client.variation(flag, ADA, value) is value for value in (True, False))
    )


def test_a_flag_is_made_turned_off_and_on_again(client, server):
    server.change(*flag_that_is_on("py-live"))
    serves(client, "py-live", True)
    server.change({"kind": "turnOff", "flag": "py-live"})
    serves(client, "py-live", False)
    server.change({"kind": "turnOn", "flag": "py-live"})
    serves(client, "py-live", True)


def test_a_listener_hears_of_a_change(client, server):
    server.change(*flag_that_is_on("py-heard"))
    serves(client, "py-heard", True)
    heard = []
    told = threading.Event()

    def listener(flag, old, new):
        heard.append((flag, old, new))
        told.set()

    client.flag_tracker.add_flag_value_changed_listener("py-heard", ADA, listener)
    server.change({"kind": "turnOff", "flag": "py-heard"})
    assert told.wait(DEADLINE)
    assert heard == [("py-heard", True, False)]


def test_a_listener_hears_of_a_change_after_another_flag_was_archived(client, server):
    server.change(*flag_that_is_on("py-past"), *flag_that_is_on("py-present"))
    serves(client, "py-present", True)
    server.change({"kind": "archiveFlag", "flag": "py-past"})
    gives_the_default(client, "py-past")
    told = threading.Event()
    client.flag_tracker.add_flag_value_changed_listener(
        "py-present", ADA, lambda *change: told.set()
    )
    # This SDK stops announcing at the first archived item of a message.
    server.change({"kind": "turnOff", "flag": "py-present"})
    assert told.wait(DEADLINE)


def test_a_segment_changes(client, server):
    server.change(*flag_with_segment("py-by-segment", "py-friends", "grace"))
    serves(client, "py-by-segment", False)
    server.change({"kind": "addIncluded", "segment": "py-friends", "keys": ["ada"]})
    serves(client, "py-by-segment", True)


def test_a_change_set_of_three_flags_is_seen_whole(client, server):
    three = ["py-one", "py-two", "py-three"]
    server.change(*(command for flag in three for command in flag_that_is_on(flag)))
    for flag in three:
        serves(client, flag, True)
    seen = []

    def all_off():
        seen.append([client.variation(flag, ADA, True) for flag in three])
        return not any(seen[-1])

    server.change(*({"kind": "turnOff", "flag": flag} for flag in three))
    client.until(all_off)
    assert seen[-1] == [False] * 3
    assert all(len(set(values)) == 1 for values in seen), seen


def test_an_archived_flag_and_a_deleted_one_give_the_codes_default(client, server):
    server.change(*flag_that_is_on("py-old"))
    serves(client, "py-old", True)
    server.change({"kind": "archiveFlag", "flag": "py-old"})
    gives_the_default(client, "py-old")
    server.change({"kind": "restoreFlag", "flag": "py-old"})
    serves(client, "py-old", True)
    server.change(
        {"kind": "archiveFlag", "flag": "py-old"}, {"kind": "deleteFlag", "flag": "py-old"}
    )
    gives_the_default(client, "py-old")


def test_changes_around_a_restart_of_the_server(connect, server, wire):
    client = connect(server.keys["server"], wire.url)
    server.change(
        *flag_that_is_on("py-away"),
        *flag_that_is_on("py-gone"),
        *flag_with_segment("py-away-segment", "py-club", "grace"),
    )
    serves(client, "py-away-segment", False)
    wire.cut()
    server.change(
        {"kind": "turnOff", "flag": "py-away"}, {"kind": "archiveFlag", "flag": "py-gone"}
    )
    server.down()
    server.up()
    server.change({"kind": "addIncluded", "segment": "py-club", "keys": ["ada"]})
    wire.mend()
    serves(client, "py-away", False)
    gives_the_default(client, "py-gone")
    serves(client, "py-away-segment", True)
    assert client.update_status_provider.wait_for_OKState(DEADLINE)


def test_a_bad_secret_is_refused(connect, server):
    issued = server.keys["server"]
    forged = ("B" if issued[0] == "A" else "A") + issued[1:]
    refused = threading.Event()

    # This SDK takes the close for a network error, tells no listener, and tries again for ever.
    class Refusals(logging.Handler):
        def emit(self, record):
            if "4003" in record.getMessage():
                refused.set()

    handler = Refusals()
    logging.getLogger("fbclient.utils").addHandler(handler)
    client = connect(forged, server.url, wait=0)
    assert refused.wait(DEADLINE)
    logging.getLogger("fbclient.utils").removeHandler(handler)
    assert not client.initialize
    assert client.variation("returns-true", ADA, False) is False
