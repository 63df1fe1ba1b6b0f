-- Counts what can change what an organization's relay keys open: relay keys that are made, changed or
-- revoked, and environments that are made or deleted. Here, because this row is locked by whoever does
-- one of these.
ALTER TABLE histories ADD COLUMN scopes BIGINT NOT NULL DEFAULT 0;
