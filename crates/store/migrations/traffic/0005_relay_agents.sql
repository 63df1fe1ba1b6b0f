-- Relays that were seen: what each said of itself last.
CREATE TABLE relay_agents (
    -- Of the relay's own making.
    id TEXT PRIMARY KEY CHECK (LENGTH(id) BETWEEN 1 AND 128),
    organization_id TEXT NOT NULL,
    relay_key_id TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    address TEXT NOT NULL,
    -- The server that it hangs on.
    node TEXT NOT NULL,
    -- How many SDKs are connected to it.
    connections BIGINT NOT NULL,
    -- A JSON list of [environment's id, version, digest]; the digest in hexadecimal.
    environments TEXT NOT NULL,
    connected_at BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    disconnected_at BIGINT
);
CREATE INDEX relay_agents_key ON relay_agents (organization_id, relay_key_id, id);
CREATE INDEX relay_agents_last_seen ON relay_agents (last_seen);
