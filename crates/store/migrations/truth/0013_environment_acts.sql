-- The environment that a change set is about which moves no version of it: what was done with its
-- end users.
ALTER TABLE change_sets ADD COLUMN environment_id TEXT REFERENCES environments (id);
CREATE INDEX change_sets_environment ON change_sets (environment_id, number)
    WHERE environment_id IS NOT NULL;
