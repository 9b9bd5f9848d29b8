import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';

/** A registered bot for tests that need no Postgres. */
export function aBot(overrides: Partial<Bot> = {}): Bot {
  const id = overrides.id ?? 1;
  const token = `${700_000 + id}:test-token-${id}-abcdefghijklmnopqrstuvwxyz`;
  return {
    id,
    telegram_id: 700_000 + id,
    token,
    token_hash: '',
    name: 'Test bot',
    username: `test_${id}_bot`,
    source: 'web',
    manage_enabled: true,
    proxy_enabled: false,
    long_poll_enabled: false,
    upstream: 'default',
    environment: 'production',
    moving: null,
    moves: 0,
    webhook_mode: false,
    disabled: false,
    backend_url: '',
    secret_token: '',
    backend_certificate: '',
    backend_ip_address: '',
    signing: null,
    description: '',
    labels: [],
    max_connections: 40,
    silent_after_s: 300,
    flood: 'pass',
    pace: { per_second: 25, per_chat_second: 1, per_group_minute: 20 },
    allowed_updates: null,
    named_kinds: [],
    rules: [],
    routedTo: false,
    programs: [],
    asks: false,
    registration_id: `registration-${id}`,
    revision: 1,
    reserved_update_id: 0,
    created_at: new Date(0),
    ...overrides,
  };
}
