"""The API of management does what its description says. Most of what is sent names the demo's
things, so that it is about something; what would take them away is left out."""

import pytest

from described import holds

# Where names stand in addresses, of what the demo has.
KNOWN = """
[parameters]
"path.project" = "demo"
"path.environment" = "prod"
"path.flag" = "returns-true"
"path.group" = "core"
"path.policy" = "own"
"""

# Each of the two looks; a debug build's answers take their time.
MOST_SECONDS = 60

# A stream does not end; a server that sends no mail says 501, as described; without the project
# and the environment nothing else would be found.
LEFT_OUT = (
    "GET /api/v1/events",
    "POST /api/v1/session/reset",
    "DELETE /api/v1/projects/{project}",
    "DELETE /api/v1/projects/{project}/environments/{environment}",
    "DELETE /api/v1/groups/{group}",
    "DELETE /api/v1/policies/{policy}",
)


@pytest.fixture(scope="module")
def known(server):
    statement = {"effect": "allow", "actions": ["flag.read"], "resources": ["*"]}
    server.api("POST", "/policies", {"key": "own", "name": "Own", "statements": [statement]})
    server.api("POST", "/groups", {"key": "core", "name": "Core", "policies": []})
    return server


def fuzz(server, folder, config):
    options = [part for operation in LEFT_OUT for part in ("--exclude-name", operation)]
    address = f"{server.url}/api/openapi.json"
    token = f"Bearer {server.token}"
    holds(address, token, folder, config=config, seconds=MOST_SECONDS, options=options)


def test_about_what_is_there(known, tmp_path):
    fuzz(known, tmp_path, KNOWN)


def test_about_anything(known, tmp_path):
    fuzz(known, tmp_path, "")
