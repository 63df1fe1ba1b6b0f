"""Change sets that several journeys make."""

import json
import uuid


def flag_that_is_on(flag):
    """A boolean flag that is on and serves true to everybody."""
    variations = [{"id": f"{flag}-{value}", "value": value} for value in ("true", "false")]
    return [
        {"kind": "createFlag", "flag": flag, "type": "boolean", "variations": variations},
        {"kind": "turnOn", "flag": flag},
    ]


def flag_that_needs(flag, needed):
    """A flag that serves true where another one does."""
    prerequisites = [{"flag": needed, "variation": f"{needed}-true"}]
    return [
        *flag_that_is_on(flag),
        {"kind": "setPrerequisites", "flag": flag, "prerequisites": prerequisites},
    ]


def flag_with_segment(flag, segment, *included):
    """A flag that serves true to the users of a new segment only, and the segment."""
    identity = str(uuid.uuid4())
    condition = {"property": "User is in segment", "value": json.dumps([identity])}
    rule = {"conditions": [condition], "variation": f"{flag}-true"}
    return [
        {"kind": "createSegment", "segment": segment, "id": identity, "included": included},
        *flag_that_is_on(flag),
        {"kind": "setRules", "flag": flag, "rules": [rule]},
        {"kind": "setDefaultRule", "flag": flag, "variation": f"{flag}-false"},
    ]
