-- How far versions came, as each node tells: nodes that are alive, and for each environment that has
-- connections there a few figures. Nothing of a single connection is here.
CREATE TABLE delivery_nodes (
    -- Names a running process; another one after each start.
    node TEXT PRIMARY KEY,
    -- `server` or `relay`.
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    -- The node that it is fed by, for a relay.
    parent TEXT,
    seen_at BIGINT NOT NULL
);

CREATE TABLE deliveries (
    environment_id TEXT NOT NULL,
    node TEXT NOT NULL,
    connections BIGINT NOT NULL,
    -- JSON, in the shape that the edge gives it.
    report TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (environment_id, node)
);
CREATE INDEX deliveries_node ON deliveries (node);
CREATE INDEX deliveries_at ON deliveries (at);
