-- Who wants a category is looked up for those whom an event concerns; these are mostly one or two.
DROP INDEX user_notification_prefs_wanted;
CREATE INDEX user_notification_prefs_wanted ON user_notification_prefs (workspace_id, category, user_id)
  WHERE state = 'immediate';

-- The log, by channel and by category; the rest of what it is asked for stands in the index as well.
CREATE INDEX notification_deliveries_channel ON notification_deliveries (workspace_id, channel_id, seq, category, status);
CREATE INDEX notification_deliveries_category ON notification_deliveries (workspace_id, category, seq, status);
