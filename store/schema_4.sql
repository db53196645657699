-- When retention let go of an object's bytes; its row stays, because the log names it. NULL: they
-- are there.
ALTER TABLE object ADD COLUMN dropped_us INTEGER;
