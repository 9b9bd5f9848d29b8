import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { expect, test } from '@jest/globals';
import type { Bot } from '../bots/bot.ts';
import { holdWhileMoving } from './hold-while-moving.ts';

const PASSED = { outcome: 'ok', result: true, text: '' } as const;
const platform: PlatformClient = {
  call: async () => PASSED,
  upload: async () => PASSED,
  openFile: async () => ({ outcome: 'refused', status: 404 }),
};
const drains = { to: 'local', step: 'drain', since: '', step_since: '', waits_until: null, reason: '' } as const;

async function outcome(known: Bot, { at, isConfirmed = true }: { at?: Bot; isConfirmed?: boolean } = {}) {
  const directory = { ready: () => true, byToken: () => known, isConfirmed: () => isConfirmed };
  const answer = await holdWhileMoving({ directory }, platform).call(known.token, 'getMe', {}, at && { at });
  return answer.outcome === 'refused' ? answer.errorCode : answer.outcome;
}

test('a caller that read the bot before it moved does not call the server that it left', async () => {
  const [before, after] = [aBot(), aBot({ upstream: 'local', moves: 1 })];
  expect(await outcome(after, { at: before })).toBe(429);
  expect(await outcome(after, { at: after })).toBe('ok');
  expect(await outcome(before, { at: after })).toBe('ok');
  expect(await outcome(after)).toBe('ok');
});

test('calls of a bot that moves are held from log_out on, and before by a process that hears nothing any more', async () => {
  expect(await outcome(aBot({ moving: { ...drains, step: 'log_out' } }))).toBe(429);
  expect(await outcome(aBot({ moving: drains }))).toBe('ok');
  expect(await outcome(aBot({ moving: drains }), { isConfirmed: false })).toBe(429);
  expect(await outcome(aBot(), { isConfirmed: false })).toBe('ok');
});
