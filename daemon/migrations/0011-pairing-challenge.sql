-- SHA-256 of a secret of the device that asked for the code, which must be shown to redeem it; null when a person types the code.
ALTER TABLE cli_pairings ADD COLUMN challenge TEXT;
