-- The issue that a chat is about: an agent has one such chat for each issue that it works on or is mentioned in.
ALTER TABLE chats ADD COLUMN mission_id TEXT;
-- What a run is part of: the issue of its chat.
ALTER TABLE runs ADD COLUMN mission_id TEXT;
CREATE INDEX runs_mission ON runs (mission_id) WHERE mission_id IS NOT NULL AND phase <> 'ended';
CREATE INDEX run_records_mission ON run_records (mission_id, started) WHERE mission_id IS NOT NULL;
CREATE INDEX chats_mission ON chats (mission_id) WHERE mission_id IS NOT NULL;
-- The chat in which an agent works on an issue, from the start until the work is over.
ALTER TABLE missions ADD COLUMN work_chat_id TEXT;
CREATE INDEX missions_at_work ON missions (work_chat_id) WHERE work_chat_id IS NOT NULL;
-- Comments and events are read in the order in which they were made.
DROP INDEX mission_comments_mission;
CREATE INDEX mission_comments_mission ON mission_comments (mission_id);
DROP INDEX mission_activity_mission;
CREATE INDEX mission_activity_mission ON mission_activity (mission_id);
