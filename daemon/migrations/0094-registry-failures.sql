-- Why the registry could not be fetched; NULL when it could, and while it is under way.
ALTER TABLE mcp_registry_syncs ADD COLUMN failure TEXT;
