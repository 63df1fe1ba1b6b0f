-- The steps of a revision: change sets that are applied one after the other. What they are never
-- changes; what became of them is written once.
CREATE TABLE request_steps (
    organization_id TEXT NOT NULL,
    request_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    -- Counted from 1 over all revisions: the first of a revision comes after those that were
    -- applied by then.
    step BIGINT NOT NULL,
    -- None: when somebody applies it.
    due_at BIGINT,
    -- JSON, zstd; of the revision's vocabulary.
    commands BYTEA NOT NULL,
    commands_size BIGINT NOT NULL,
    -- What ids are made from, so that what is applied has those that were shown.
    seed TEXT NOT NULL,
    -- As JSON: the facets that are touched with the digests of what the steps before leave, and the
    -- differences in words.
    held TEXT NOT NULL,
    diff TEXT NOT NULL,
    -- What it came to.
    change_set_id TEXT,
    applied_at BIGINT,
    PRIMARY KEY (organization_id, request_id, revision, step),
    FOREIGN KEY (organization_id, request_id, revision)
        REFERENCES request_revisions (organization_id, request_id, revision)
);
CREATE INDEX request_steps_due ON request_steps (organization_id, due_at, request_id, step)
    WHERE due_at IS NOT NULL;

INSERT INTO request_steps (organization_id, request_id, revision, step, commands, commands_size,
    seed, held, diff, change_set_id, applied_at)
SELECT v.organization_id, v.request_id, v.revision, 1, v.commands, v.commands_size, v.seed, v.held,
    v.diff, r.change_set_id, r.changed_at
FROM request_revisions v LEFT JOIN requests r ON r.organization_id = v.organization_id
    AND r.id = v.request_id AND r.revision = v.revision AND r.stage = 'applied';

ALTER TABLE request_revisions DROP COLUMN commands;
ALTER TABLE request_revisions DROP COLUMN commands_size;
ALTER TABLE request_revisions DROP COLUMN seed;
ALTER TABLE request_revisions DROP COLUMN held;
ALTER TABLE request_revisions DROP COLUMN diff;

-- When the next step of an open request is due; none where none waits for its moment.
ALTER TABLE requests ADD COLUMN due_at BIGINT;
-- Why it stopped, as JSON.
ALTER TABLE requests ADD COLUMN stopped TEXT;
CREATE INDEX requests_due ON requests (due_at) WHERE due_at IS NOT NULL;
