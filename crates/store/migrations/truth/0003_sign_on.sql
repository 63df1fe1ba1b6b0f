-- Single sign-on: an organization's provider, who its subjects are here, and the sessions that it
-- opened.

CREATE TABLE sign_on (
    organization_id TEXT PRIMARY KEY REFERENCES organizations (id),
    issuer TEXT NOT NULL,
    client_id TEXT NOT NULL,
    -- Sealed with the instance key; null for a public client.
    client_secret BYTEA,
    -- Names of claims, groups, domains, what newcomers are given: JSON.
    rules TEXT NOT NULL,
    -- Whether sessions that began with a password are refused, but for owners'.
    passwords_off SMALLINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Who a provider's subject is. An organization's own: another's provider of the same name says
-- nothing here.
CREATE TABLE identities (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, issuer, subject)
);
CREATE UNIQUE INDEX identities_account ON identities (organization_id, issuer, account_id);

-- The organization whose provider opened the session: it is good there alone.
ALTER TABLE sessions ADD COLUMN organization_id TEXT REFERENCES organizations (id);
