-- What the role of readonly-role.sql may read: no tokens, no secrets and no texts of messages. The owner of the database runs it:
-- psql "$DATABASE_URL" -f infra/grafana/readonly-grants.sql
grant usage on schema public to flotilla_grafana;
grant select (
  id, telegram_id, name, username, manage_enabled, proxy_enabled, long_poll_enabled, webhook_mode, disabled,
  max_connections, description, created_at
) on bots to flotilla_grafana;
grant select (bot_id, id, type, title, username, message_count, updated_at) on chats to flotilla_grafana;
grant select (bot_id, chat_id, id, date, media_type, edit_date, deleted_at, outgoing) on messages to flotilla_grafana;
grant select (id, bot_id, reader, update_id, reason, attempts, last_status, created_at) on dead_letters to flotilla_grafana;
grant select on audit_log to flotilla_grafana;
