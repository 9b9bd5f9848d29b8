/**
 * The names under which a bot stands in its mirror in Redis, and its pace in Postgres: a release before or after this one
 * reads and writes the same texts. A field that is new keeps its name there.
 */
const FORMER_NAMES = {
  telegram_id: 'telegramId',
  token_hash: 'tokenHash',
  manage_enabled: 'manageEnabled',
  proxy_enabled: 'proxyEnabled',
  long_poll_enabled: 'longPollEnabled',
  webhook_mode: 'webhookMode',
  backend_url: 'backendUrl',
  secret_token: 'secretToken',
  backend_certificate: 'backendCertificate',
  backend_ip_address: 'backendIpAddress',
  max_connections: 'maxConnections',
  silent_after_s: 'silentAfterS',
  allowed_updates: 'allowedUpdates',
  named_kinds: 'namedKinds',
  registration_id: 'registrationId',
  reserved_update_id: 'reservedUpdateId',
  created_at: 'createdAt',
  webhook_token_id: 'webhookTokenId',
  webhook_kinds: 'webhookKinds',
  backend_role: 'backendRole',
  sees_held: 'seesHeld',
  target_bot_id: 'targetBotId',
  candidate_bot_ids: 'candidateBotIds',
  condition_type: 'conditionType',
  condition_value: 'conditionValue',
  action_minutes: 'actionMinutes',
  target_chat_id: 'targetChatId',
  per_second: 'perSecond',
  per_minute: 'perMinute',
  per_chat_second: 'perChatSecond',
  per_group_minute: 'perGroupMinute',
};

const former = new Map(Object.entries(FORMER_NAMES));
const present = new Map(Object.entries(FORMER_NAMES).map(([name, before]) => [before, name]));

/** The value with the names of the store. */
export function toFormerNames(value: unknown): unknown {
  return renamed(value, former);
}

/** A value of the store with the names of the domain. */
export function fromFormerNames<Value>(value: unknown): Value {
  return renamed(value, present) as Value;
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, names));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [names.get(name) ?? name, renamed(one, names)]));
}
