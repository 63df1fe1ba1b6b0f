-- The token that a token was made with; null: it was made in a session, or by the operator.
ALTER TABLE tokens ADD COLUMN made_by TEXT;

-- All tokens that stand for nobody speak with one voice, the operator's.
UPDATE requests SET author_voice = 'operator'
    WHERE author_voice LIKE 'token:%' OR author_voice LIKE 'operator:%';
UPDATE request_revisions SET author_voice = 'operator'
    WHERE author_voice LIKE 'token:%' OR author_voice LIKE 'operator:%';
UPDATE request_events SET voice = 'operator'
    WHERE voice LIKE 'token:%' OR voice LIKE 'operator:%';
