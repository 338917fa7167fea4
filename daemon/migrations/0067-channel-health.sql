-- Since when everything that a channel was to take has failed, in milliseconds since 1970.
ALTER TABLE notification_channels ADD COLUMN failing_since INTEGER;
