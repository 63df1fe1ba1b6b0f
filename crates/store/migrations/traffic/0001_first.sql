-- Traffic: what the edge learns. Apart from the truth, with its own writer on SQLite, so that a
-- toggle never waits behind a batch. Lengths are checked here once more: what slips through the
-- edge's limits is refused by itself, not with its batch.

-- Which batches are in: one that is sent again is not counted again.
CREATE TABLE traffic_batches (
    sender TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (sender, sequence)
);
CREATE INDEX traffic_batches_at ON traffic_batches (at);

CREATE TABLE end_users (
    environment_id TEXT NOT NULL,
    key TEXT NOT NULL CHECK (LENGTH(key) BETWEEN 1 AND 512),
    name TEXT NOT NULL CHECK (LENGTH(name) <= 256),
    -- A JSON list of [name, value].
    properties TEXT NOT NULL,
    -- Over name and properties: whether anything changed.
    hash BIGINT NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    PRIMARY KEY (environment_id, key)
);
CREATE INDEX end_users_last_seen ON end_users (environment_id, last_seen);

-- Evaluations per variation. A flag is known by its key and its id: when a deleted flag's key is
-- used again, the new flag does not inherit the old one's figures. `at` is the start of the minute, hour or day.
CREATE TABLE counts_minute (
    environment_id TEXT NOT NULL,
    flag TEXT NOT NULL CHECK (LENGTH(flag) <= 512),
    flag_id TEXT NOT NULL CHECK (LENGTH(flag_id) <= 512),
    variation TEXT NOT NULL CHECK (LENGTH(variation) <= 512),
    at BIGINT NOT NULL,
    count BIGINT NOT NULL CHECK (count >= 0),
    PRIMARY KEY (environment_id, flag, flag_id, at, variation)
);
CREATE INDEX counts_minute_at ON counts_minute (at);

CREATE TABLE counts_hour (
    environment_id TEXT NOT NULL,
    flag TEXT NOT NULL,
    flag_id TEXT NOT NULL,
    variation TEXT NOT NULL,
    at BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (environment_id, flag, flag_id, at, variation)
);
CREATE INDEX counts_hour_at ON counts_hour (at);

CREATE TABLE counts_day (
    environment_id TEXT NOT NULL,
    flag TEXT NOT NULL,
    flag_id TEXT NOT NULL,
    variation TEXT NOT NULL,
    at BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (environment_id, flag, flag_id, at, variation)
);

CREATE TABLE exposures (
    environment_id TEXT NOT NULL,
    flag TEXT NOT NULL CHECK (LENGTH(flag) <= 512),
    flag_id TEXT NOT NULL CHECK (LENGTH(flag_id) <= 512),
    variation TEXT NOT NULL CHECK (LENGTH(variation) <= 512),
    user_key TEXT NOT NULL CHECK (LENGTH(user_key) BETWEEN 1 AND 512),
    experiment SMALLINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (environment_id, flag, flag_id, variation, user_key)
);
CREATE INDEX exposures_last_at ON exposures (last_at);

CREATE TABLE metric_events (
    sender TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    environment_id TEXT NOT NULL,
    user_key TEXT NOT NULL CHECK (LENGTH(user_key) BETWEEN 1 AND 512),
    event TEXT NOT NULL CHECK (LENGTH(event) <= 512),
    value DOUBLE PRECISION NOT NULL,
    route TEXT NOT NULL,
    kind TEXT NOT NULL,
    app_type TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (sender, sequence, ordinal)
);
CREATE INDEX metric_events_event ON metric_events (environment_id, event, at);
