import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const HOST = 'https://93.184.216.34';
const api = testApi();
let bot: BotResource;
let ada: TestAccount;
let asAda: RestClient;

beforeAll(async () => {
  bot = await api.addBot();
  ada = await insertAccount(api.database.db, { username: 'ada', role: 'admin', bots: null });
  asAda = restClient(api.url, ada.key);
});

type Token = ProgramTokenResource & { token: string };
const post = async <T = unknown>(path: string, body: object, client = asAda): Promise<T> => {
  const answer = await client('POST', path, { body });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as T;
};
const newest = async (): Promise<AuditEntryResource> =>
  ((await api.admin('GET', '/api/adminlog', { query: { limit: 1 } })).json as AuditEntryResource[])[0]!;
const add = (name: string, fields: object = {}, client = asAda) =>
  post<ProgramResource>('/api/programs/add', { bot_id: bot.id, name, ...fields }, client);
const addToken = ({ id }: ProgramResource, fields: object = {}, client = asAda) =>
  post<Token>('/api/programs/tokens/add', { program_id: id, name: 'own', ...fields }, client);
const byAda = () => ({ actor_kind: 'key', actor_id: ada.id, actor_username: 'ada', bot_id: bot.id });

describe('the entry of', () => {
  test('a program that is added, changed, paused and deleted says what changed, and no secret', async () => {
    const url = `${HOST}/hook?key=`;
    const backend = { mode: 'push', backend_url: `${url}hush`, secret_token: 'first-secret' };
    const { id } = await add('relay', { ...backend, exclusive: true });
    const added = await newest();
    expect(added).toMatchObject({ ...byAda(), action: 'program_add' });
    for (const part of [`program ${id}; name: "relay"`, 'exclusive: true', `"${url}****"`, 'secret_token set'])
      expect(added.details).toContain(part);
    await post('/api/programs/update', {
      id,
      name: 'other',
      backend_url: `${url}louder`,
      secret_token: 'second-secret',
    });
    expect(await newest()).toMatchObject({
      ...{ ...byAda(), action: 'program_update' },
      details: `program ${id}; name: "relay" → "other"; backend_url: "${url}****", in a part that is not shown; secret_token changed`,
    });
    await post('/api/programs/toggle', { id, enabled: false });
    const paused = { ...byAda(), action: 'program_disable', details: `program ${id}; enabled: true → false` };
    expect(await newest()).toMatchObject(paused);
    await post('/api/programs/toggle', { id, enabled: true });
    expect(await newest()).toMatchObject({ ...byAda(), action: 'program_enable' });
    await post('/api/programs/delete', { id });
    const deleted = await newest();
    expect(deleted).toMatchObject({ ...byAda(), action: 'program_delete' });
    expect(deleted.details).toContain(`program ${id}; name: "other"`);
    const log = (await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id } })).text;
    for (const secret of ['hush', 'louder', 'first-secret', 'second-secret']) expect(log).not.toContain(secret);
  });

  test('a token that is made and revoked has its limits, and not the token', async () => {
    const program = await add('with tokens');
    const { id, token } = await addToken(program, { methods: ['send'], chats: [5], rate: { per_second: 2 } });
    const limits = 'name: "own"; methods: ["send"]; chats: [5]; per_second: 2';
    const details = `program ${program.id}, token ${id}; ${limits}`;
    expect(await newest()).toMatchObject({ ...byAda(), action: 'program_token_add', details });
    await post('/api/programs/tokens/delete', { id });
    expect(await newest()).toMatchObject({ ...byAda(), action: 'program_token_delete', details });
    const log = (await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id } })).text;
    expect(log).not.toContain(token.split(':')[1]);
  });

  test('a signing secret names the program, and not the secret', async () => {
    const { id } = await add('signed');
    const entryOf = async (path: string) => {
      const { signing_secret: secret } = await post<{ signing_secret?: string }>(`/api/programs/${path}`, {
        program_id: id,
      });
      const entry = await newest();
      if (secret !== undefined) expect(JSON.stringify(entry)).not.toContain(secret);
      expect(entry).toMatchObject({ ...byAda(), details: `program ${id}` });
      return entry.action;
    };
    expect(await entryOf('rotate-signing')).toBe('signing_enable');
    expect(await entryOf('rotate-signing')).toBe('signing_rotate');
    expect(await entryOf('remove-signing')).toBe('signing_remove');
  });

  test('a webhook that a token sets and deletes is by the bot, and names the program', async () => {
    const program = await add('hooked');
    const { id, token } = await addToken(program);
    const call = (method: string) => fetch(`${api.url}/tgapi/bot${token}/${method}`);
    expect((await call(`setWebhook?url=${encodeURIComponent(`${HOST}/set?key=hush`)}`)).status).toBe(200);
    const set = await newest();
    expect(set).toMatchObject({ actor_kind: 'bot', bot_id: bot.id, action: 'program_update' });
    expect(set.details).toContain(`program ${program.id} (hooked)`);
    expect(set.details).toContain(`webhook_token_id: null → ${id}`);
    expect(set.details).not.toContain('hush');
    expect((await call('deleteWebhook')).status).toBe(200);
    const removed = await newest();
    expect(removed).toMatchObject({ actor_kind: 'bot', action: 'program_update' });
    expect(removed.details).toContain('mode: "push" → "pull"');
  });
});

describe('what somebody made on programs and leaves behind', () => {
  const signed = async (program: ProgramResource, client: RestClient) => {
    await post('/api/programs/rotate-signing', { program_id: program.id }, client);
  };

  test('is listed when the account is deleted, but for what others made anew since', async () => {
    const leaver = await insertAccount(api.database.db, { username: 'leaver', role: 'admin', bots: null });
    const asLeaver = restClient(api.url, leaver.key);
    const backend = { mode: 'push', backend_url: `${HOST}/left` };
    const [first, second] = [await add('left 1', backend, asLeaver), await add('left 2', backend, asLeaver)];
    const token = await addToken(first, {}, asLeaver);
    await signed(first, asLeaver);
    await signed(second, asLeaver);
    await post('/api/programs/rotate-signing', { program_id: second.id });
    await post('/api/programs/update', { id: first.id, backend_url: `${HOST}/anew` });
    await post('/api/auth/users/delete', { id: leaver.id });
    expect(await newest()).toMatchObject({
      action: 'account_delete',
      details: [
        `its tokens of programs stay: ${token.id}`,
        `its backends of programs stay: ${second.id}`,
        `its signing secrets of programs stay: ${first.id}`,
      ].join('; '),
    });
  });

  test('is listed when a key is deleted, with what keys of this key made, and goes on', async () => {
    const newKey = async (client: RestClient) => {
      const made = await post<{ id: number; key: string }>('/api/auth/api-keys', { name: 'deploys' }, client);
      return { id: made.id, client: restClient(api.url, made.key) };
    };
    const key = await newKey(asAda);
    const child = await newKey(key.client);
    const backend = { mode: 'push', backend_url: `${HOST}/left` };
    const [mine, ofChild] = [await add('by key', backend, key.client), await add('by child', {}, child.client)];
    const token = await addToken(ofChild, {}, child.client);
    await signed(mine, child.client);
    await addToken(ofChild);
    await post('/api/auth/api-keys/delete', { id: key.id });
    const { action, details } = await newest();
    expect(action).toBe('key_delete');
    expect(details).toContain(
      `; its tokens of programs stay: ${token.id}; its backends of programs stay: ${mine.id}; its signing secrets of programs stay: ${mine.id}`,
    );
    expect((await fetch(`${api.url}/tgapi/bot${token.token}/getMe`)).status).toBe(200);
  });

  test('is in the answer, so that an admin can revoke the tokens: also after a new username, but not when expired', async () => {
    const leaver = await insertAccount(api.database.db, { username: 'renamed', role: 'admin', bots: null });
    const asLeaver = restClient(api.url, leaver.key);
    const program = await add('of the renamed', {}, asLeaver);
    const [token, expired] = [await addToken(program, {}, asLeaver), await addToken(program, {}, asLeaver)];
    const { db } = api.database;
    await db
      .updateTable('program_tokens')
      .set({ expires_at: new Date(0) })
      .where('id', '=', expired.id)
      .execute();
    await post('/api/auth/users/update', { id: leaver.id, username: 'anew' });
    const taken = await insertAccount(db, { username: 'renamed', role: 'admin', bots: null });
    const ofAnother = await addToken(program, {}, restClient(api.url, taken.key));
    const left = { program_id: program.id, program_name: program.name, bot_id: bot.id };
    const deleted = async (id: number) => (await api.admin('POST', '/api/auth/users/delete', { body: { id } })).json;
    expect(await deleted(leaver.id)).toEqual({
      ok: true,
      program_tokens: [{ id: token.id, name: token.name, prefix: token.prefix, ...left }],
    });
    expect(await deleted(taken.id)).toMatchObject({ program_tokens: [{ id: ofAnother.id }] });
    await post('/api/programs/tokens/delete', { id: token.id });
  });

  test('is in the answer when a key is deleted', async () => {
    const made = await post<{ id: number; key: string }>('/api/auth/api-keys', { name: 'answers' });
    const program = await add('of a key');
    const token = await addToken(program, {}, restClient(api.url, made.key));
    const answer = await post('/api/auth/api-keys/delete', { id: made.id });
    expect(answer).toMatchObject({ ok: true, program_tokens: [{ id: token.id, program_id: program.id }] });
  });
});

describe('the token of a key that expires', () => {
  const END = '2098-01-01T00:00:00.000Z';
  const keyUntil = async (expiresAt: string, client?: RestClient) => {
    const body = { name: 'expires', expires_at: expiresAt };
    return restClient(api.url, (await post<{ key: string }>('/api/auth/api-keys', body, client)).key);
  };

  test('ends with the key unless it ends before; a later end is refused', async () => {
    const program = await add('of an expiring key');
    const key = await keyUntil(END);
    expect(await addToken(program, {}, key)).toMatchObject({ expires_at: END });
    for (const expires_at of [END, '2097-01-01T00:00:00.000Z']) {
      expect(await addToken(program, { expires_at }, key)).toMatchObject({ expires_at });
    }
    const body = { program_id: program.id, name: 'later', expires_at: '2098-01-01T00:00:00.001Z' };
    const refused = await key('POST', '/api/programs/tokens/add', { body });
    expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'expires_at' }] } });
    expect(refused.text).toContain(END);
  });

  test('ends with the key that made its key, if that is earlier', async () => {
    const parent = await keyUntil(END);
    const child = await keyUntil('2097-06-01T00:00:00.000Z', parent);
    const program = await add('of a child');
    expect(await addToken(program, {}, child)).toMatchObject({ expires_at: '2097-06-01T00:00:00.000Z' });
  });
});
