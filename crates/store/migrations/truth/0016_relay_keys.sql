-- Keys of relays: what they may be fed with.
CREATE TABLE relay_keys (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    -- The first characters, by which people recognise it; the rest is kept as a hash only.
    prefix TEXT NOT NULL,
    hash BYTEA NOT NULL UNIQUE,
    -- The text before the last rotation works until then; null where it does not.
    previous_hash BYTEA,
    previous_ends_at BIGINT,
    -- Whether it is for all environments, also those that are made later; else for those that
    -- relay_key_environments names.
    every_environment SMALLINT NOT NULL,
    created_at BIGINT NOT NULL,
    rotated_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX relay_keys_organization ON relay_keys (organization_id, id);
CREATE INDEX relay_keys_previous ON relay_keys (previous_hash) WHERE previous_hash IS NOT NULL;
CREATE INDEX relay_keys_ending ON relay_keys (previous_ends_at)
    WHERE previous_ends_at IS NOT NULL AND revoked_at IS NULL;

CREATE TABLE relay_key_environments (
    relay_key_id TEXT NOT NULL REFERENCES relay_keys (id),
    environment_id TEXT NOT NULL REFERENCES environments (id),
    PRIMARY KEY (relay_key_id, environment_id)
);
