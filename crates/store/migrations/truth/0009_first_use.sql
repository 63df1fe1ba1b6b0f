-- When an SDK key was used for the first time: what somebody waits for who sets a program up.
ALTER TABLE sdk_keys ADD COLUMN first_used_at BIGINT;
-- Of those that were used before, the last time is what is known.
UPDATE sdk_keys SET first_used_at = last_used_at;
CREATE INDEX sdk_keys_first_used ON sdk_keys (first_used_at) WHERE first_used_at IS NOT NULL;
