-- The grade of model with which all agents of a run work.
ALTER TABLE routine_runs ADD COLUMN tier TEXT;
