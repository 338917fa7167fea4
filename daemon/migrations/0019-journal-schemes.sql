-- How an entry was hashed: 1 with its summary in the text, 2 with the summary's hash. The entry's hash tells them apart.
ALTER TABLE journal ADD COLUMN scheme INTEGER NOT NULL DEFAULT 1;
-- Only of an entry whose summary was erased (scheme 2): the hash that the chain was made with.
ALTER TABLE journal ADD COLUMN summary_hash BLOB;
