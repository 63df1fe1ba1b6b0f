"""What every flag of `--demo` must serve to the users of demo.json: written by hand, and the
percentage rollouts by the formula alone (MD5 of flag key and user key)."""

import hashlib
import json
from pathlib import Path

_TABLE = json.loads((Path(__file__).parents[1] / "demo.json").read_text())

USERS = _TABLE["users"]
FLAGS = _TABLE["flags"]


def expected(flag, user):
    """The value of a flag for a user of the table."""
    entry = FLAGS[flag]["serves"].get(user)
    if not (isinstance(entry, dict) and "split" in entry):
        return entry
    share = _bucket(flag + USERS[user]["key"])
    return next(value for up_to, value in entry["split"] if share <= up_to)


def expected_of_all(user):
    """The values of all flags for a user of the table."""
    return {flag: expected(flag, user) for flag in FLAGS}


def _bucket(text):
    first = hashlib.md5(text.encode()).digest()[:4]
    return abs(int.from_bytes(first, "little", signed=True)) / 2**31
