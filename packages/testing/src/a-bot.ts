import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';

/** A registered bot for tests that need no Postgres. */
export function aBot(overrides: Partial<Bot> = {}): Bot {
  const id = overrides.id ?? 1;
  const token = `${700_000 + id}:test-token-${id}-abcdefghijklmnopqrstuvwxyz`;
  return {
    id,
    telegramId: 700_000 + id,
    token,
    tokenHash: '',
    name: 'Test bot',
    username: `test_${id}_bot`,
    source: 'web',
    manageEnabled: true,
    proxyEnabled: false,
    longPollEnabled: false,
    webhookMode: false,
    disabled: false,
    backendUrl: '',
    secretToken: '',
    backendCertificate: '',
    backendIpAddress: '',
    signing: null,
    description: '',
    maxConnections: 40,
    silentAfterS: 300,
    flood: 'pass',
    pace: { perSecond: 25, perChatSecond: 1, perGroupMinute: 20 },
    allowedUpdates: null,
    namedKinds: [],
    rules: [],
    routedTo: false,
    programs: [],
    asks: false,
    registrationId: `registration-${id}`,
    revision: 1,
    reservedUpdateId: 0,
    createdAt: new Date(0),
    ...overrides,
  };
}
