-- What properties are besides their texts, a letter for each in their order: `n` a number, `l` a list,
-- `t` a text; those behind the last letter are texts.
ALTER TABLE end_users ADD COLUMN types TEXT NOT NULL DEFAULT '';
