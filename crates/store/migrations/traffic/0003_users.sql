-- Users by how their name begins, whatever the case of its letters (of ASCII's). Most programs send
-- no name, or the key as the name: those cost nothing here.
CREATE INDEX end_users_name ON end_users (environment_id, LOWER(name), key)
    WHERE name <> '' AND name <> key;
