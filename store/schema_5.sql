-- Quotas of principals. NULL: what the daemon gives everybody.
ALTER TABLE principal ADD COLUMN weight INTEGER CHECK(weight > 0);         -- of its part of CPU time
ALTER TABLE principal ADD COLUMN checks_max INTEGER CHECK(checks_max > 0); -- at a time
ALTER TABLE principal ADD COLUMN open_max INTEGER CHECK(open_max > 0);     -- candidates not judged
