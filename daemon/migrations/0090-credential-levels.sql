-- How much harm the loss of a credential does: by it agents are given it, or have to ask.
ALTER TABLE credentials ADD COLUMN security_level INTEGER NOT NULL DEFAULT 1 CHECK (security_level BETWEEN 1 AND 4);
