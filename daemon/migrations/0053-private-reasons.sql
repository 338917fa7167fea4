-- Why a run in a private room did not complete: the journal is for the whole workspace and does not say it.
ALTER TABLE runs ADD COLUMN reason TEXT;
