-- Batches that were in two days ago are not known one by one any more: all of a sender up to a number
-- were in, since it sends them in order.
CREATE TABLE traffic_senders (
    sender TEXT PRIMARY KEY,
    up_to BIGINT NOT NULL,
    -- When the last of them was written.
    at BIGINT NOT NULL
);
CREATE INDEX traffic_senders_at ON traffic_senders (at);
