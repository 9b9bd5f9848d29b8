-- The role of the dashboard "One bot": it can read no tokens, no secrets and no texts of messages.
-- psql "$DATABASE_URL" -v password="'…'" -f infra/grafana/readonly-role.sql
create role flotilla_grafana login password :password connection limit 5;
alter role flotilla_grafana set default_transaction_read_only = on;
alter role flotilla_grafana set statement_timeout = '10s';
grant usage on schema public to flotilla_grafana;
grant select (
  id, telegram_id, name, username, manage_enabled, proxy_enabled, long_poll_enabled, webhook_mode, disabled,
  max_connections, description, created_at
) on bots to flotilla_grafana;
grant select (bot_id, id, type, title, username, message_count, updated_at) on chats to flotilla_grafana;
grant select (bot_id, chat_id, id, date, media_type, edit_date, deleted_at, outgoing) on messages to flotilla_grafana;
grant select (id, bot_id, reader, update_id, reason, attempts, last_status, created_at) on dead_letters to flotilla_grafana;
grant select on audit_log to flotilla_grafana;
