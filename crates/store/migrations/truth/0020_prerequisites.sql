-- What other flags have to serve before a flag looks at a user: a JSON list of flags' keys and
-- variations' ids. Most flags need none, so those that do are few and found by an index of their own.
ALTER TABLE targetings ADD COLUMN prerequisites TEXT NOT NULL DEFAULT '[]';
CREATE INDEX targetings_with_prerequisites ON targetings (project_id) WHERE prerequisites <> '[]';
