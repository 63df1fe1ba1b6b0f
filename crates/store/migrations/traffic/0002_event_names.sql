-- The names of an environment's metric events: there may be so many, whoever sends them, and
-- whichever process they come through.
CREATE TABLE event_names (
    environment_id TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (environment_id, name)
);
INSERT INTO event_names (environment_id, name)
    SELECT DISTINCT environment_id, event FROM metric_events;
