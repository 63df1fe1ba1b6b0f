-- The audit log: what can be looked for, the chain, and what an organization keeps.

-- The kinds of the commands, each between two spaces, and what a search looks through, in lower
-- case.
ALTER TABLE change_sets ADD COLUMN kinds TEXT NOT NULL DEFAULT '';
ALTER TABLE change_sets ADD COLUMN search TEXT NOT NULL DEFAULT '';

-- How many days entries are kept; null: for ever.
ALTER TABLE organizations ADD COLUMN audit_days BIGINT;

-- The chain over an organization's entries, sealed in order by a job, not by writers.
CREATE TABLE audit_seals (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    -- The change set's number and id.
    number BIGINT NOT NULL,
    change_set_id TEXT NOT NULL,
    -- SHA-256 of the body under this salt; the salt is empty where the body was redacted.
    salt BYTEA NOT NULL,
    body_digest BYTEA NOT NULL,
    chain BYTEA NOT NULL,
    redacted_at BIGINT,
    -- The change set that ordered it, and why, in plain words.
    redacted_by TEXT,
    redacted_why TEXT,
    PRIMARY KEY (organization_id, number)
);

-- Where the chain ends, signed with the instance key; the signature is empty where there is none.
CREATE TABLE audit_heads (
    organization_id TEXT PRIMARY KEY REFERENCES organizations (id),
    number BIGINT NOT NULL,
    chain BYTEA NOT NULL,
    signature BYTEA NOT NULL
);

-- What is left of pruned entries: the chain up to the last of them, signed.
CREATE TABLE audit_anchors (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    number BIGINT NOT NULL,
    chain BYTEA NOT NULL,
    signature BYTEA NOT NULL,
    pruned_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, number)
);

-- Failed attempts to sign in that were written into the log lately, by account: only so many are.
CREATE TABLE sign_in_failures (
    account_id TEXT PRIMARY KEY,
    since BIGINT NOT NULL,
    written BIGINT NOT NULL,
    left_out BIGINT NOT NULL
);
