-- What a member has set for themselves, as JSON; it goes when they leave.
CREATE TABLE member_settings (
    organization_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    settings TEXT NOT NULL,
    PRIMARY KEY (organization_id, account_id),
    FOREIGN KEY (organization_id, account_id)
        REFERENCES members (organization_id, account_id) ON DELETE CASCADE
);
