-- The history by whoever did it, and by when it was asked for.
CREATE INDEX change_sets_actor ON change_sets (organization_id, actor_id, number);
CREATE INDEX change_sets_actor_name ON change_sets (organization_id, LOWER(actor_name), number);
CREATE INDEX change_sets_at ON change_sets (organization_id, at);

-- After how many days without evaluation, or with one value, a flag is stale. A project without a
-- number has its organization's.
ALTER TABLE organizations ADD COLUMN stale_days BIGINT NOT NULL DEFAULT 30;
ALTER TABLE projects ADD COLUMN stale_days BIGINT;
