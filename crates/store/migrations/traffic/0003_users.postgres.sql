-- Byte order, as on SQLite: so the primary key finds keys by how they begin, and both databases list
-- users in one order.
ALTER TABLE end_users ALTER COLUMN key TYPE TEXT COLLATE "C";
ALTER TABLE end_users ALTER COLUMN name TYPE TEXT COLLATE "C";
