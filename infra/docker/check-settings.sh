#!/bin/sh
# Refuses to go on with the sandbox's well-known values, unless the simulator is there, which only that profile starts.
set -eu

missing=''
for name in POSTGRES_PASSWORD REDIS_PASSWORD ENCRYPTION_KEY ADMIN_PASSWORD ADMIN_API_KEY TELEGRAM_API_URL; do
  eval "value=\${$name:-}"
  # shellcheck disable=SC2154 # set by eval
  [ -n "$value" ] || missing="$missing $name"
done
[ -n "$missing" ] || exit 0

if getent hosts simulator >/dev/null; then
  echo 'This is the sandbox: its credentials are known to everybody.'
  exit 0
fi

{
  echo "These settings are missing in .env:$missing"
  echo 'See infra/docker/compose.env.example. To try Flotilla without them: docker compose --profile sandbox up'
} >&2
exit 1
