"""What the description of what SDKs ask says in words alone, for schemathesis to leave out: a limit
in bytes of UTF-8, and one of an attribute's path and value together. The server's own tests ask
what becomes of who is over them."""

import json

import schemathesis

# In bytes, with room for how the server writes them.
KEY, ATTRIBUTE = 512, 1_000


def _bytes(value):
    return len(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


def _is_long_key(key):
    return len(str(key)) <= KEY < _bytes(key) - len('""')


@schemathesis.hook
def filter_body(_, body):
    if not isinstance(body, dict):
        return True
    users = [it for it in (body, body.get("user"), body.get("context")) if isinstance(it, dict)]
    keys = [user.get(name, "") for user in users for name in ("keyId", "targetingKey")]
    context = body.get("context")
    attributes = context.items() if isinstance(context, dict) else ()
    has_long_attribute = any(_bytes(it) > ATTRIBUTE for it in attributes)
    return not has_long_attribute and not any(_is_long_key(it) for it in keys)
