-- The truth: who there is, what is served, and how it came to be.
--
-- One text for SQLite and PostgreSQL: ids are TEXT, moments BIGINT milliseconds since 1970, truth
-- values SMALLINT 0/1, structures TEXT holding JSON. SQLite takes BYTEA as a type without an
-- affinity of its own, which keeps blobs as they are.

CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    key_folded TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE members (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    policy TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, account_id)
);

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    -- The first characters, by which people recognise it; the rest is kept as a hash only.
    prefix TEXT NOT NULL,
    hash BYTEA NOT NULL UNIQUE,
    policy TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX tokens_organization ON tokens (organization_id, created_at);

CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    key TEXT NOT NULL,
    key_folded TEXT NOT NULL,
    name TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    deleted_at BIGINT
);
CREATE UNIQUE INDEX projects_key ON projects (organization_id, key_folded)
    WHERE deleted_at IS NULL;

CREATE TABLE environments (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    key TEXT NOT NULL,
    key_folded TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    sort BIGINT NOT NULL,
    version BIGINT NOT NULL,
    -- The chain hash over the log rows up to `version`; its first 8 bytes are the digest.
    chain BYTEA NOT NULL,
    last_stamp BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    deleted_at BIGINT
);
CREATE UNIQUE INDEX environments_key ON environments (project_id, key_folded)
    WHERE deleted_at IS NULL;

CREATE TABLE sdk_keys (
    id TEXT PRIMARY KEY,
    environment_id TEXT NOT NULL REFERENCES environments (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE UNIQUE INDEX sdk_keys_secret ON sdk_keys (secret) WHERE revoked_at IS NULL;
CREATE INDEX sdk_keys_environment ON sdk_keys (environment_id, created_at);

-- Imported flags and segments keep their ids, and the same file may be imported into another
-- project or organization: so ids are unique within those, not beyond.
CREATE TABLE flags (
    project_id TEXT NOT NULL REFERENCES projects (id),
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    key_folded TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    kind TEXT NOT NULL,
    variations TEXT NOT NULL,
    tags TEXT NOT NULL,
    default_on TEXT NOT NULL,
    default_off TEXT NOT NULL,
    life TEXT NOT NULL,
    -- Key, name and description in lower case: what a search looks through.
    search TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX flags_key ON flags (project_id, key_folded) WHERE life <> 'deleted';
CREATE INDEX flags_exact_key ON flags (project_id, key);

CREATE TABLE targetings (
    environment_id TEXT NOT NULL REFERENCES environments (id),
    project_id TEXT NOT NULL,
    flag_id TEXT NOT NULL,
    is_enabled SMALLINT NOT NULL,
    target_users TEXT NOT NULL,
    rules TEXT NOT NULL,
    fallthrough TEXT NOT NULL,
    off_variation TEXT NOT NULL,
    expt_include_all_targets SMALLINT NOT NULL,
    tracked SMALLINT NOT NULL,
    stamp BIGINT NOT NULL,
    PRIMARY KEY (environment_id, flag_id),
    -- A deleted flag gives its id up where a new one is imported under it.
    FOREIGN KEY (project_id, flag_id) REFERENCES flags (project_id, id) ON UPDATE CASCADE
);
CREATE INDEX targetings_flag ON targetings (project_id, flag_id);

CREATE TABLE segments (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    -- Where it can be used: the organization (both null), a project, or one environment of it.
    project_id TEXT REFERENCES projects (id),
    environment_id TEXT REFERENCES environments (id),
    key TEXT NOT NULL,
    key_folded TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,
    rules TEXT NOT NULL,
    life TEXT NOT NULL,
    search TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- How many keys the two lists have, and, last, the lists: they may have megabytes, which
    -- SQLite would walk through on its way to a column behind them.
    included_count BIGINT NOT NULL,
    excluded_count BIGINT NOT NULL,
    included TEXT NOT NULL,
    excluded TEXT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX segments_key ON segments
    (organization_id, COALESCE(project_id, ''), COALESCE(environment_id, ''), key_folded)
    WHERE life <> 'deleted';

-- A segment's stamp in every environment that it is served in.
CREATE TABLE segment_environments (
    environment_id TEXT NOT NULL REFERENCES environments (id),
    organization_id TEXT NOT NULL,
    segment_id TEXT NOT NULL,
    stamp BIGINT NOT NULL,
    PRIMARY KEY (environment_id, segment_id),
    FOREIGN KEY (organization_id, segment_id) REFERENCES segments (organization_id, id)
);
CREATE INDEX segment_environments_segment ON segment_environments (organization_id, segment_id);

-- How many change sets an organization has. They are numbered under this row's lock, the last that
-- a writer takes, which is held until the commit: so numbers have no gaps, and their order is that
-- of commits. Apart from organizations, whose rows writers lock shared before.
CREATE TABLE histories (
    organization_id TEXT PRIMARY KEY REFERENCES organizations (id),
    length BIGINT NOT NULL
);

-- What was asked for, by whom, and what was answered. The id may be the client's: a request that
-- is repeated finds its first answer here.
CREATE TABLE change_sets (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    -- The member's or token's id; empty for the operator and the system.
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    comment TEXT NOT NULL,
    base TEXT NOT NULL,
    -- JSON, zstd; of this vocabulary's version.
    commands BYTEA NOT NULL,
    -- As JSON, before zstd: lists leave large ones where they are.
    commands_size BIGINT NOT NULL,
    vocabulary SMALLINT NOT NULL,
    -- SHA-256 of the request: the same id for something else is refused.
    request_digest BYTEA NOT NULL,
    result TEXT NOT NULL,
    -- When it was asked for.
    at BIGINT NOT NULL,
    -- Its place in the organization's history.
    number BIGINT NOT NULL,
    -- The project that it is about, where no version says so.
    project_id TEXT REFERENCES projects (id),
    PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX change_sets_number ON change_sets (organization_id, number);
CREATE INDEX change_sets_project ON change_sets (project_id, number)
    WHERE project_id IS NOT NULL;

-- Every version of every scope (an environment, a project, an organization), and the chain hash
-- there: a peer's position is of this history if its digest is found at its version.
CREATE TABLE versions (
    scope_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    scope_kind TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    change_set_id TEXT NOT NULL,
    chain BYTEA NOT NULL,
    at BIGINT NOT NULL,
    -- The change set's.
    number BIGINT NOT NULL,
    PRIMARY KEY (scope_id, version),
    FOREIGN KEY (organization_id, change_set_id) REFERENCES change_sets (organization_id, id)
);
CREATE INDEX versions_history ON versions (scope_id, number);
CREATE INDEX versions_change_set ON versions (organization_id, change_set_id);

-- The change log: each item that a version changed, as it was afterwards.
CREATE TABLE change_log (
    scope_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    -- flag, segment, sdkKey or setting.
    item_kind TEXT NOT NULL,
    item_id TEXT NOT NULL,
    item_key TEXT NOT NULL,
    facets TEXT NOT NULL,
    -- Indices into the change set's commands.
    commands TEXT NOT NULL,
    -- zstd; where `whole_version` is set, against the image of that row, which is whole.
    image BYTEA NOT NULL,
    image_size BIGINT NOT NULL,
    -- SHA-256 of the image's text. The chain is taken over it, so that an image can be redacted or
    -- pruned and the chain still verifies.
    image_digest BYTEA NOT NULL,
    whole_version BIGINT,
    whole_ordinal BIGINT,
    -- How many images since the last whole one, this one included.
    differences BIGINT NOT NULL,
    PRIMARY KEY (scope_id, version, ordinal),
    FOREIGN KEY (scope_id, version) REFERENCES versions (scope_id, version)
);
CREATE INDEX change_log_item ON change_log (scope_id, item_kind, item_id, version);
