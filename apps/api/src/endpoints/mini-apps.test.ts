import { createHmac } from 'node:crypto';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sign } from '@tma.js/init-data-node';

const api = testApi();
let bot: BotResource;
let other: BotResource;
let programToken: string;
let tokenId: number;

beforeAll(async () => {
  [bot, other] = [await api.addBot(), await api.addBot()];
  const program = await api.admin('POST', '/api/programs/add', {
    body: { bot_id: bot.id, name: 'shop', mode: 'pull' },
  });
  const body = { program_id: (program.json as { id: number }).id, name: 'app', methods: 'read' };
  const made = (await api.admin('POST', '/api/programs/tokens/add', { body })).json as { id: number; token: string };
  ({ token: programToken, id: tokenId } = made);
});

const USER = {
  id: 424_242,
  first_name: 'Ада — مكتب',
  username: 'ada',
  photo_url: 'https://t.me/i/userpic/1.svg?a=b&c',
};
const MINUTE_MS = 60_000;

/** Init data as the official package signs it. */
const initData = (token: string, ageMs = MINUTE_MS) =>
  sign({ user: USER, start_param: 'order-17', query_id: 'AAE' }, token, new Date(Date.now() - ageMs));
/** Fields that no platform writes, signed as it signs. */
const signed = (token: string, field: string) => {
  const now = new Date();
  const known = [`auth_date=${Math.floor(now.getTime() / 1000)}`, field];
  const text = `${known.sort().join('\n')}`;
  const key = createHmac('sha256', 'WebAppData').update(token).digest();
  return `${known.join('&')}&hash=${createHmac('sha256', key).update(text).digest('hex')}`;
};
const check = (init_data: string, fields: object = { bot_id: bot.id }, client = api.admin) =>
  client('POST', '/api/bots/check-init-data', { body: { init_data, ...fields } });

describe('init data', () => {
  test('that the platform signed for the bot is valid, and is shown', async () => {
    expect((await check(initData(bot.token))).json).toEqual({
      valid: true,
      user: USER,
      auth_date: expect.any(Number),
      start_param: 'order-17',
    });
  });

  test.each([
    ['signed for another bot', () => initData(other.token), 'bad_hash'],
    ['changed', () => initData(bot.token).replace('424242', '424243'), 'bad_hash'],
    ['with a field more', () => `${initData(bot.token)}&chat=%7B%7D`, 'bad_hash'],
    ['with a field twice', () => `${initData(bot.token)}&user=%7B%7D`, 'malformed'],
    ['without a hash', () => 'auth_date=1&user=%7B%7D', 'malformed'],
    ['without a date', () => 'hash=00', 'malformed'],
    ['that is none', () => '%%%', 'malformed'],
    ['signed with a user that is no object', () => signed(bot.token, 'user=7'), 'malformed'],
    ['a day old', () => initData(bot.token, 25 * 60 * MINUTE_MS), 'expired'],
    ['from the future', () => initData(bot.token, -10 * MINUTE_MS), 'expired'],
  ])('%s is not valid, and nothing of it is shown', async (_what, data, reason) => {
    expect((await check(data())).json).toEqual({ valid: false, reason });
  });

  test('may be as old as the caller says', async () => {
    const old = initData(bot.token, 120 * MINUTE_MS);
    expect((await check(old, { bot_id: bot.id, max_age_s: 3600 })).json).toEqual({ valid: false, reason: 'expired' });
    expect((await check(old, { bot_id: bot.id, max_age_s: 3 * 3600 })).json).toMatchObject({ valid: true });
  });
});

describe('who may check it', () => {
  test('a program with its own token, for its own bot', async () => {
    const program = restClient(api.url, programToken);
    expect((await check(initData(bot.token), {}, program)).json).toMatchObject({ valid: true, user: { id: USER.id } });
    expect((await check(initData(bot.token), { bot_id: bot.id }, program)).json).toMatchObject({ valid: true });
    expect(await check(initData(other.token), { bot_id: other.id }, program)).toMatchObject({
      status: 403,
      json: { error: 'This bot is not among yours' },
    });
    expect((await program('GET', '/api/bots')).status).toBe(401);
  });

  test('nobody with a token that was revoked, or is none', async () => {
    await api.admin('POST', '/api/programs/tokens/delete', { body: { id: tokenId } });
    for (const token of [programToken, `${programToken.slice(0, -1)}_`]) {
      expect((await check(initData(bot.token), {}, restClient(api.url, token))).status).toBe(401);
    }
  });

  test('a user who has the bot, and names it', async () => {
    const { db } = api.database;
    const owner = restClient(api.url, (await insertAccount(db, { username: 'owner', bots: [bot.id] })).key);
    expect((await check(initData(bot.token), { bot_id: bot.id }, owner)).json).toMatchObject({ valid: true });
    expect((await check(initData(other.token), { bot_id: other.id }, owner)).status).toBe(403);
    expect(await check(initData(bot.token), {}, owner)).toMatchObject({
      status: 400,
      json: { details: [{ path: 'bot_id', reason: 'is required' }] },
    });
  });
});
