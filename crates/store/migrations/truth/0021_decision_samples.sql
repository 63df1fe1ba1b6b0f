-- Of how many of a million users the decisions of an environment are logged; 0: of nobody.
ALTER TABLE environments ADD COLUMN decision_sample BIGINT NOT NULL DEFAULT 0;
