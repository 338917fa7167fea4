-- How sure agents of a crew must be of what they did (JSON); null: as without such settings.
ALTER TABLE crews ADD COLUMN escalation_config_json TEXT;
-- The task from which all is done again when this one fails: an earlier one of the same mission.
ALTER TABLE mission_tasks ADD COLUMN loop_back_to TEXT;
