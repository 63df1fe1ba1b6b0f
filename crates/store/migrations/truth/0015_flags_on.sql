-- In how many environments a flag is on is asked for all flags of a project at once.
CREATE INDEX targetings_on ON targetings (environment_id, flag_id) WHERE is_enabled = 1;
