import { connectRedis } from '@flotilla/redis/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { logScene } from '@flotilla/testing/log-scene.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ActiveProgram } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { mirrorBot } from '../../fleet/bots/bot-mirror.ts';
import { sharedLimiter } from '../lanes/shared-limiter.ts';
import { backendOfProgram } from './backend.ts';
import { type BackendReaderDeps, backendReader } from './backend-reader.ts';

const PROGRAM: ActiveProgram = {
  ...{ id: 5, name: 'mirror', enabled: true, kinds: ['message'], mode: 'push', backend_url: 'http://127.0.0.1:9/' },
  ...{
    secret_token: '',
    backend_certificate: '',
    backend_ip_address: '',
    webhook_token_id: null,
    webhook_kinds: null,
    backend_role: 'admin',
  },
  ...{
    max_connections: 40,
    silent_after_s: 300,
    filter: {},
    exclusive: false,
    order: 100,
    sees_held: false,
    chats_revision: 0,
    priority: 'normal',
    signing: null,
    tokens: [],
  },
};
const TRIES = 3;

const scene = logScene();
const { accept, deps, registered, update } = scene;
beforeAll(scene.open);
afterEach(scene.clear);
afterAll(scene.close);

/** Claims of a turn whose process knows this configuration of the bot, and gets no newer one. */
function claimsBy(bot: Bot) {
  let tries = 0;
  let claims = 0;
  let fencingToken: number | null = null;
  const log = createLogger({ name: 'test', level: 'silent' });
  const ofTurn = { ...deps(), requestLimiter: sharedLimiter(10), log } as unknown as BackendReaderDeps;
  const reader = backendReader(ofTurn, backendOfProgram(bot, bot.programs[0]!), {
    newest: (known) => known,
    giveUp: async () => {},
    reached: async () => {},
    catchUp: async () => {
      tries += 1;
      return tries < TRIES;
    },
  });
  return async () => {
    claims += 1;
    const request = {
      name: `the turn${String(claims).padStart(7, '0')}`,
      fencingToken,
      limit: 10,
      trim: false,
      end: null,
      ownsTurn: () => true,
    };
    const claim = await reader.claim(request, []);
    if (claim.outcome !== 'claimed') throw new Error('lost the turn');
    fencingToken = claim.fencingToken;
    return { ids: claim.units.map((unit) => unit.updates[0].id), more: claim.more };
  };
}

test('a turn that knows an older configuration than Redis passes over nothing, until it must do', async () => {
  const bot = await registered({ programs: [PROGRAM] });
  await mirrorBot(deps(), { ...bot, revision: bot.revision + 1 });
  await accept(bot, update(1));
  const claim = claimsBy(bot);
  for (let tries = 0; tries < TRIES; tries += 1) expect(await claim()).toEqual({ ids: [], more: true });
  expect(await claim()).toEqual({ ids: [1], more: false });
});

test('a post that a rule may drop waits while nobody can tell who wrote it, and that is no try', async () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  const away = await connectRedis({ url: scene.server().url, log });
  await away.close();
  const rule = {
    condition_type: 'all',
    condition_value: '',
    action: 'drop',
    target_chat_id: null,
    enabled: true,
  } as const;
  const rules = [{ id: 1, target_bot_id: 1, delivery: 'at_least_once', ...rule } as Bot['rules'][number]];
  const bot = await registered({ manage_enabled: true, rules, backend_url: 'http://127.0.0.1:9/' });
  const directory = { isOwnBot: () => false };
  const ofTurn = { ...deps(), redis: away, directory, requestLimiter: sharedLimiter(10), log };
  const reader = backendReader(ofTurn as unknown as BackendReaderDeps, bot, {
    newest: (known) => known,
    giveUp: async () => {},
    reached: async () => {},
  });
  const raw = `{"update_id":1,"channel_post":{"message_id":1,"date":1,"chat":{"id":-1005,"type":"channel"},"text":"a"}}`;
  const updates = [
    { id: 1, raw, kind: 'channel_post', acceptedAtMs: 0, expiresAtMs: 9e15, traceparent: null },
  ] as const;
  const retry = null;
  const unit = { lane: 'c:-1005', unitId: '1', updates: [...updates] as [(typeof updates)[0]], retry, progress: '' };
  const { signal } = new AbortController();
  const lease = { signal, ownsTurn: () => true } as never;
  const settled = await reader.handle(unit, { fencingToken: 1, lease, cancel: signal });
  expect(settled).toEqual({ unit, outcome: 'waits', atMs: scene.nowMs() + 1_000 });
});
