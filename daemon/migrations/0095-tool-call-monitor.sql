-- Whether a model judges the calls of tools that a workspace's agents make.
ALTER TABLE keeper_governance_settings ADD COLUMN monitor_tool_calls INTEGER NOT NULL DEFAULT 0
  CHECK (monitor_tool_calls IN (0, 1));
-- The call that was judged, as its client names it: each call of a run is judged once, also after a restart.
ALTER TABLE keeper_requests ADD COLUMN call_id TEXT;
CREATE UNIQUE INDEX keeper_requests_call ON keeper_requests (run_id, call_id) WHERE call_id IS NOT NULL;
