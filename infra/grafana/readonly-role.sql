-- Makes the role of the dashboard "One bot". An administrator of the server runs this, who may make roles:
-- psql "$ADMIN_DATABASE_URL" -v password="$GRAFANA_POSTGRES_PASSWORD" -f infra/grafana/readonly-role.sql
create role flotilla_grafana login password :'password' connection limit 5;
alter role flotilla_grafana set default_transaction_read_only = on;
alter role flotilla_grafana set statement_timeout = '10s';
