-- When a user's name or properties last became others; null: they are as they were first seen (or
-- have not changed since this is kept).
ALTER TABLE end_users ADD COLUMN changed_at BIGINT;
