-- The end of a credential that people were told of.
ALTER TABLE credentials ADD COLUMN expiry_told TEXT;
CREATE INDEX credentials_expiry ON credentials (token_expires_at)
  WHERE deleted_at IS NULL AND token_expires_at IS NOT NULL;
