-- When each variation of a flag was first and last served, to some minutes: what the counts know as
-- well, but only by looking through all of them.
CREATE TABLE flag_activity (
    environment_id TEXT NOT NULL,
    flag TEXT NOT NULL,
    flag_id TEXT NOT NULL,
    variation TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (environment_id, flag, flag_id, variation)
);
INSERT INTO flag_activity (environment_id, flag, flag_id, variation, first_at, last_at)
    SELECT environment_id, flag, flag_id, variation, MIN(at), MAX(at) FROM (
        SELECT environment_id, flag, flag_id, variation, at FROM counts_minute
        UNION ALL SELECT environment_id, flag, flag_id, variation, at FROM counts_hour
        UNION ALL SELECT environment_id, flag, flag_id, variation, at FROM counts_day
    ) AS all_counts GROUP BY environment_id, flag, flag_id, variation;
