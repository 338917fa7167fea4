-- How much room the files of an owner take, without reading the files' rows.
CREATE INDEX memory_files_room ON memory_files (owner_id, name, bytes);
