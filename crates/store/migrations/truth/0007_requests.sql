-- Change sets that wait.
CREATE TABLE requests (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    -- open, applied, withdrawn or stopped; whether it is approved is counted, not stored.
    stage TEXT NOT NULL,
    -- Who asked for it, and whose voice that is: an account's id, or that of a token which stands
    -- for nobody.
    author_kind TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_voice TEXT NOT NULL,
    -- The newest.
    revision BIGINT NOT NULL,
    -- Of the newest revision, as JSON: the scopes that it moves, the environments whose answers it
    -- changes and by which commands, and what it is about by key.
    scopes TEXT NOT NULL,
    places TEXT NOT NULL,
    about TEXT NOT NULL,
    -- SHA-256 of what was asked for first: the same id for something else is refused.
    request_digest BYTEA NOT NULL,
    -- What it came to.
    change_set_id TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX requests_list ON requests (organization_id, created_at, id);
CREATE INDEX requests_stage ON requests (organization_id, stage, created_at, id);

-- What a request would do. Revisions never change.
CREATE TABLE request_revisions (
    organization_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    author_kind TEXT NOT NULL,
    author_id TEXT NOT NULL,
    author_name TEXT NOT NULL,
    author_voice TEXT NOT NULL,
    -- Whether the commands are those of the revision before, tried out anew.
    rebased SMALLINT NOT NULL,
    -- The change set's.
    comment TEXT NOT NULL,
    -- JSON, zstd; of this vocabulary's version.
    commands BYTEA NOT NULL,
    commands_size BIGINT NOT NULL,
    vocabulary SMALLINT NOT NULL,
    -- What ids are made from, so that what is applied has those that were shown.
    seed TEXT NOT NULL,
    -- As JSON: the versions of all scopes that were looked at, the facets that are touched with the
    -- digests of what they were, and the differences in words.
    base TEXT NOT NULL,
    held TEXT NOT NULL,
    diff TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, request_id, revision),
    FOREIGN KEY (organization_id, request_id) REFERENCES requests (organization_id, id)
);

-- The projects and environments that the newest revision of a request moves.
CREATE TABLE request_scopes (
    organization_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    scope_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, request_id, scope_id),
    FOREIGN KEY (organization_id, request_id) REFERENCES requests (organization_id, id)
);
CREATE INDEX request_scopes_scope ON request_scopes (scope_id);

-- Reviews and discussion, in order.
CREATE TABLE request_events (
    organization_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    ordinal BIGINT NOT NULL,
    -- The newest revision at the time.
    revision BIGINT NOT NULL,
    -- approve, decline or comment.
    kind TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    voice TEXT NOT NULL,
    text TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, request_id, ordinal),
    FOREIGN KEY (organization_id, request_id) REFERENCES requests (organization_id, id)
);
