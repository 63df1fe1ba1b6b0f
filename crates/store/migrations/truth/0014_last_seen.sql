-- When somebody was last here, in ms of the epoch, to about a minute: their sessions end and are
-- forgotten.
ALTER TABLE accounts ADD COLUMN seen_at BIGINT;
