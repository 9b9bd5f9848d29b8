#!/bin/sh
# check-settings.sh NAME …: fails if one of these settings is missing, or is a secret from this repository or easy to
# guess. Each fault comes with a command that writes a good value into .env.
set -eu

faults=''
fault() {
  faults="$faults
  $1: $2"
  # shellcheck disable=SC2016 # for the reader's shell, not for this one
  case $1 in
    POSTGRES_PASSWORD | REDIS_PASSWORD) make='$(openssl rand -hex 24)' ;;
    ENCRYPTION_KEY) make='$(openssl rand -base64 32)' ;;
    ADMIN_PASSWORD | GRAFANA_ADMIN_PASSWORD) make='$(openssl rand -hex 16)' ;;
    ADMIN_API_KEY) make='flt_$(openssl rand -hex 24)' ;;
    TELEGRAM_API_URL) make='https://api.telegram.org' ;;
    FLOTILLA_PULL_POLICY) make='missing' ;;
    *) return 0 ;;
  esac
  faults="$faults
      echo \"$1=$make\" >> .env"
}

# A test compares these with packages/runtime/src/known-secrets.ts.
known_to_everybody() {
  [ "${ALLOW_SANDBOX_SECRETS:-}" != 1 ] || return 1
  case $1 in
    c2FuZGJveC1vbmx5LW5vdC1hLXNlY3JldC0zMi1ieXQ=) ;;
    sandbox | sandbox-password | sandbox-grafana-password | flt_sandbox-only-not-a-secret | password) ;;
    *) return 1 ;;
  esac
}

# True if 32 bytes repeat, count up or down by one step, or have very few different values.
is_pattern() {
  printf '%s' "$1" | base64 -d 2>/dev/null | od -An -v -tu1 | awk '
    { for (i = 1; i <= NF; i++) { byte[n++] = $i; different += !seen[$i]++ } }
    END {
      if (n != 32) exit 1
      counts = 1
      for (i = 2; i < n; i++) if ((byte[i] - byte[i - 1] + 256) % 256 != (byte[1] - byte[0] + 256) % 256) counts = 0
      for (period = 1; period <= 16; period++) {
        same = 1
        for (i = period; i < n; i++) if (byte[i] != byte[i - period]) same = 0
        if (same) repeats = 1
      }
      exit !(counts || repeats || different <= 5)
    }'
}

# In a list id:base64,id:base64 the first key seals; the others may be well-known until rotate-keys has ended.
sealing_key() {
  first=${1%%,*}
  first=${first#*:}
  # base64url and a missing = at the end are accepted too.
  printf '%s=' "${first%%=*}" | tr '_-' '/+'
}

for name in "$@"; do
  eval "value=\${$name:-}"
  # shellcheck disable=SC2154 # set by eval
  secret=$value
  [ "$name" != ENCRYPTION_KEY ] || secret=$(sealing_key "$value")
  if [ -z "$value" ]; then
    fault "$name" 'is missing'
  elif [ "$name" = ENCRYPTION_KEY ] && is_pattern "$secret"; then
    fault "$name" 'is a pattern that anybody can guess'
  elif known_to_everybody "$secret"; then
    fault "$name" "stands in Flotilla's repository for everybody to read"
  elif [ "$name" = GRAFANA_ADMIN_PASSWORD ] && [ "$value" = "${ADMIN_PASSWORD:-}" ]; then
    fault "$name" 'must not be ADMIN_PASSWORD: whoever looks at dashboards would rule the fleet'
  fi
done

if [ -n "${FLOTILLA_IMAGE:-}" ] && [ -z "${FLOTILLA_PULL_POLICY:-}" ]; then
  fault FLOTILLA_PULL_POLICY 'is missing: FLOTILLA_IMAGE would be built from these sources instead of pulled'
fi
if [ "${ALLOW_SANDBOX_SECRETS:-}" = 1 ]; then
  case ${LISTEN:-} in
    127.* | '[::1]:'* | localhost:*) echo 'This is the sandbox: its credentials are known to everybody.' ;;
    *) fault LISTEN 'with ALLOW_SANDBOX_SECRETS it must be an address of this machine alone, such as 127.0.0.1:8080' ;;
  esac
fi

[ -n "$faults" ] || exit 0
{
  echo "These settings are missing or wrong:$faults"
  echo 'infra/docker/compose.env.example says more of each. To try Flotilla without any of them:'
  echo '  docker compose --env-file infra/docker/sandbox.env up'
} >&2
exit 1
