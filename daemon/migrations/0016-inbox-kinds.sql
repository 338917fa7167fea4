-- Lists of one kind, in the order in which they are told.
CREATE INDEX inbox_items_kind ON inbox_items (workspace_id, audience, kind, created_at, id);
CREATE INDEX inbox_items_active_kind ON inbox_items (workspace_id, audience, kind, created_at, id) WHERE resolved_at IS NULL;
