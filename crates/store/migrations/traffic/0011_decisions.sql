-- What users were given, of the share of users that an environment keeps it of. Bounded by rows of an
-- environment and by days. Properties are not here: what is kept of a person is in end_users.
CREATE TABLE decisions (
    id TEXT PRIMARY KEY,
    environment_id TEXT NOT NULL,
    user_key TEXT NOT NULL CHECK (LENGTH(user_key) BETWEEN 1 AND 512),
    flag TEXT NOT NULL CHECK (LENGTH(flag) <= 512),
    flag_id TEXT NOT NULL CHECK (LENGTH(flag_id) <= 512),
    variation TEXT NOT NULL CHECK (LENGTH(variation) <= 512),
    -- How it was given: `stream`, `poll`, `ofrep`, `evaluate`; or `track`, where an SDK says so.
    surface TEXT NOT NULL,
    -- Why, the rule's id where it was one, and the position that it was decided at; null where an SDK
    -- only says what.
    reason TEXT,
    rule TEXT CHECK (LENGTH(rule) <= 512),
    version BIGINT,
    -- In 16 hexadecimal digits.
    digest TEXT,
    at BIGINT NOT NULL
);
CREATE INDEX decisions_at ON decisions (environment_id, at, id);
CREATE INDEX decisions_user ON decisions (environment_id, user_key, at, id);
