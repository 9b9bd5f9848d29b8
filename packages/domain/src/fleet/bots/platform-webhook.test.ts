import { aBot } from '@flotilla/testing/a-bot.ts';
import { expect, test } from '@jest/globals';
import { isOurWebhook, isPlatformSecret, setPlatformWebhook } from './platform-webhook.ts';

const URL = 'https://flotilla.example/telegram/1';
const NOW_S = 1_800_000_000;
const OURS = { url: URL, max_connections: 40 };
const refused = (secondsAgo: number, message = 'Wrong response from the webhook: 401 Unauthorized') => ({
  last_error_message: message,
  last_error_date: NOW_S - secondsAgo,
});

test.each([
  ['as we set it', true, {}],
  ['at another URL', false, { url: 'https://elsewhere.example/' }],
  ['deleted', false, { url: '', max_connections: undefined }],
  ['with fewer connections', false, { max_connections: 7 }],
  ['whose pushes we refused a moment ago', false, refused(1)],
  ['whose pushes we refused since the last look', false, refused(119)],
  ['whose pushes we refused an hour ago', true, refused(3600)],
  ['whose pushes got another answer a moment ago', true, refused(1, 'Wrong response from the webhook: 503 Busy')],
  ['with an error that has no date', true, { ...refused(1), last_error_date: undefined }],
])('a webhook %s is ours: %p', (_how, ours, change) => {
  expect(isOurWebhook({ ...OURS, ...change }, URL, NOW_S * 1000)).toBe(ours);
});

test('a bot that came to another server has another secret, and one that never moved that of all releases', async () => {
  const told: unknown[] = [];
  const platform = {
    call: async (_token: string, _method: string, params: Record<string, unknown> = {}) => {
      told.push(params.secret_token);
      return { outcome: 'ok', result: true, text: '' } as const;
    },
  };
  const deps = { publicUrl: 'https://flotilla.example', extraKinds: [], servers: new Map() };
  const [before, after] = [aBot(), aBot({ moves: 1 })];
  for (const bot of [before, after]) await setPlatformWebhook({ ...deps, platform: platform as never }, bot);
  expect(told).toEqual(['G1QOY8WN2-BpxJ27ksjLRtLKeIsgjnPYLW_6BhUapaY', expect.stringMatching(/^[\w-]{43}$/)]);
  expect([isPlatformSecret(before, String(told[1])), isPlatformSecret(after, String(told[0]))]).toEqual([false, false]);
  expect(isPlatformSecret(after, String(told[1]))).toBe(true);
});
