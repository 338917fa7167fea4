-- Digest of the instructions with which a session began, where its client keeps to those; null elsewhere.
ALTER TABLE client_sessions ADD COLUMN instructions TEXT;
