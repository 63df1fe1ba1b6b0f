"""What SDKs and OpenFeature's providers ask is answered as its description says. Most of what is
sent is about the demo's flags."""

from pathlib import Path

import pytest

from described import STRICT_CHECKS, holds

# Without what the description leaves to words.
SENT = f"""
hooks = "{Path(__file__).with_name("in_words.py")}"
"""

# A flag of the demo, where a key stands in an address.
KNOWN = """
[parameters]
"path.key" = "returns-true"
"""

# Of each of the looks; most of them are through sooner.
MOST_SECONDS = 8


@pytest.mark.parametrize("about", [KNOWN, ""], ids=["what-is-there", "anything"])
@pytest.mark.parametrize("kind", ["server", "client"])
def test_answers_are_as_described(server, tmp_path, kind, about):
    address = f"{server.url}/api/public/openapi.json"
    secret = server.keys[kind]
    config = SENT + about
    holds(address, secret, tmp_path, seconds=MOST_SECONDS, config=config, checks=STRICT_CHECKS)
