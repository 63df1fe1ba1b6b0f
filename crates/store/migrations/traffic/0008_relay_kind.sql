-- What a relay is: 'burgee', or 'featbit' for an agent of FeatBit's.
ALTER TABLE relay_agents ADD COLUMN kind TEXT NOT NULL DEFAULT 'burgee';
