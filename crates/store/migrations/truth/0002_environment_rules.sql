-- What an environment asks of change sets, as JSON; an environment without a row asks nothing.
CREATE TABLE environment_rules (
    environment_id TEXT PRIMARY KEY REFERENCES environments (id),
    rules TEXT NOT NULL
);
