-- Which trace a version belongs to, as W3C's traceparent has it: each node's part of it is added to
-- that one. Empty where who asked was not traced.
ALTER TABLE versions ADD COLUMN trace TEXT;
