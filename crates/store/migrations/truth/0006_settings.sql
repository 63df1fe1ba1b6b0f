-- What can be set: environments' marks, the life of SDK keys, who made an invitation.

-- A mark that people see and that policies can name; it is not deleted while it has it.
ALTER TABLE environments ADD COLUMN protected SMALLINT NOT NULL DEFAULT 0;
-- `#rrggbb`.
ALTER TABLE environments ADD COLUMN colour TEXT NOT NULL DEFAULT '#4f5c68';

-- When it ends by itself, its successor having been made; null where it does not.
ALTER TABLE sdk_keys ADD COLUMN ends_at BIGINT;
-- The key that it was rotated to.
ALTER TABLE sdk_keys ADD COLUMN successor_id TEXT;
-- To about a minute.
ALTER TABLE sdk_keys ADD COLUMN last_used_at BIGINT;
CREATE INDEX sdk_keys_ending ON sdk_keys (ends_at)
    WHERE ends_at IS NOT NULL AND revoked_at IS NULL;

-- Who made an invitation: it is worth what they may give when it is followed. Null for the
-- operator, who may give everything.
ALTER TABLE links ADD COLUMN maker_id TEXT REFERENCES accounts (id);
