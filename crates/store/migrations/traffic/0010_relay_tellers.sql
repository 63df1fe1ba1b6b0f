-- Whose word it is: the key of who told of a relay, which is another one than the relay's own where that
-- hangs on another relay. While one lives, only who told of it is believed about it.
ALTER TABLE relay_agents ADD COLUMN told_by TEXT NOT NULL DEFAULT '';
UPDATE relay_agents SET told_by = relay_key_id;
CREATE INDEX relay_agents_told_by ON relay_agents (organization_id, told_by);
