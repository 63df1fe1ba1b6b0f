-- The account that made a relay key, itself or by a token; null: the operator did, or nobody wrote it
-- down.
ALTER TABLE relay_keys ADD COLUMN created_by TEXT;
