-- In the order of bytes, as on SQLite: so the primary key finds keys by how they begin, and both
-- databases list users in one order.
-- postgres: ALTER TABLE end_users ALTER COLUMN key TYPE TEXT COLLATE "C";
-- postgres: ALTER TABLE end_users ALTER COLUMN name TYPE TEXT COLLATE "C";

-- Users by how their name begins, whatever the case of its letters (of ASCII's). Most programs send
-- no name, or the key as the name: those cost nothing here.
CREATE INDEX end_users_name ON end_users (environment_id, LOWER(name), key)
    WHERE name <> '' AND name <> key;
