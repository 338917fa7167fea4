-- What a run used and cost; null where its client did not tell. Input is without what came from the cache or went into it,
-- reasoning is part of the output.
ALTER TABLE run_records ADD COLUMN input_tokens INTEGER;
ALTER TABLE run_records ADD COLUMN output_tokens INTEGER;
ALTER TABLE run_records ADD COLUMN cache_read_tokens INTEGER;
ALTER TABLE run_records ADD COLUMN cache_write_tokens INTEGER;
ALTER TABLE run_records ADD COLUMN reasoning_tokens INTEGER;
ALTER TABLE run_records ADD COLUMN turns INTEGER;
-- Dollars; null is unknown. `client`: it said so; `prices`: by the list of that day.
ALTER TABLE run_records ADD COLUMN cost_usd REAL;
ALTER TABLE run_records ADD COLUMN cost_source TEXT;
ALTER TABLE run_records ADD COLUMN prices_as_of TEXT;
CREATE INDEX run_records_spent ON run_records (workspace_id, agent_id, finished);
UPDATE run_records SET
  (input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, turns, cost_usd, cost_source) = (
    SELECT json_extract(j.doc, '$.payload.metadata.input_tokens'), json_extract(j.doc, '$.payload.metadata.output_tokens'),
      json_extract(j.doc, '$.payload.metadata.usage.cache_read_input_tokens'),
      json_extract(j.doc, '$.payload.metadata.usage.cache_creation_input_tokens'), NULL,
      json_extract(j.doc, '$.payload.metadata.num_turns'), nullif(json_extract(j.doc, '$.payload.metadata.total_cost_usd'), 0),
      CASE WHEN json_extract(j.doc, '$.payload.metadata.total_cost_usd') > 0 THEN 'client' END
    FROM journal s JOIN journal j ON j.trace = s.trace
    WHERE s.seq = run_records.seq AND j.seq > s.seq AND json_extract(j.doc, '$.entry_type') IN
      ('run.completed', 'run.failed', 'run.cancelled', 'run.timeout')
    ORDER BY j.seq LIMIT 1)
WHERE finished IS NOT NULL;
