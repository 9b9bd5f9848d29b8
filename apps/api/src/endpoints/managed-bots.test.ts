import type { BotResource } from '@flotilla/contract/bots.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi();
const TEMPLATE = {
  name: 'Shop {name}',
  backend_url: 'http://ada:secret-word@127.0.0.1:9/{username}?key=other-word',
  programs: [{ name: 'orders', backend_url: 'http://127.0.0.1:9/{id}?key=third-word' }],
};
const MASKED = {
  backend_url: 'http://****@127.0.0.1:9/{username}?key=****',
  programs: [expect.objectContaining({ name: 'orders', backend_url: 'http://127.0.0.1:9/{id}?key=****' })],
};

let parent: BotResource;
beforeAll(async () => {
  const { token } = await api.platform.createBot({ manages: true, username: 'head_bot' });
  parent = (await api.admin('POST', '/api/bots/add', { body: { token } })).json as BotResource;
});
const update = (fields: object, client = api.admin) =>
  client('POST', '/api/bots/update', { body: { id: parent.id, ...fields } });
const faultOf = async (template: object) => {
  const { json } = await update({ template });
  return (json as { details?: { path: string; reason: string }[] }).details?.[0];
};

describe('a bot that adopts others', () => {
  test('may manage bots at the platform', async () => {
    const { token } = await api.platform.createBot({});
    const refused = await api.admin('POST', '/api/bots/add', { body: { token, adopts: true } });
    expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'adopts' }] } });
    expect(await update({ adopts: true, template: TEMPLATE })).toMatchObject({ status: 200, json: { adopts: true } });
  });

  test('has a template whose secrets only API keys of admins see, and which may be posted back masked', async () => {
    await update({ template: TEMPLATE });
    const { db } = api.database;
    const user = restClient(api.url, (await insertAccount(db, { username: 'user', bots: [parent.id] })).key);
    const shown = (await user('GET', '/api/bots/show', { query: { id: String(parent.id) } })).json as BotResource;
    expect(shown.template).toMatchObject(MASKED);
    const changed = await update({ template: { ...shown.template, name: 'Another {name}' } });
    expect(changed.json).toMatchObject({
      template: { name: 'Another {name}', backend_url: TEMPLATE.backend_url, programs: TEMPLATE.programs },
    });
    const log = await api.admin('GET', '/api/adminlog', { query: { bot_id: String(parent.id) } });
    expect(JSON.stringify(log.json)).toContain('Another {name}');
    expect(JSON.stringify(log.json)).not.toMatch(/secret-word|other-word|third-word/);
  });

  test('is set up only by admins of all bots; others may post back what was listed', async () => {
    const body = { name: 'limited', role: 'admin', bot_ids: [parent.id] };
    const { key } = (await api.admin('POST', '/api/auth/api-keys', { body })).json as { key: string };
    const limited = restClient(api.url, key);
    await update({ adopts: true, template: TEMPLATE });
    const listed = (await limited('GET', '/api/bots/show', { query: { id: String(parent.id) } })).json as BotResource;
    const { adopts, template } = listed;
    expect((await update({ adopts, template, description: 'x' }, limited)).status).toBe(200);
    expect((await update({ adopts: false }, limited)).status).toBe(403);
    expect((await update({ template: {} }, limited)).status).toBe(403);
  });

  test.each([
    ['a URL to a forbidden address', { backend_url: 'http://169.254.169.254/{id}' }, 'template.backend_url'],
    ['a masked URL that it never had', { backend_url: 'http://****@127.0.0.1/' }, 'template.backend_url'],
    ['two programs of one name', { programs: [{ name: 'a' }, { name: 'a' }] }, 'template.programs.1.name'],
    ['a program that pushes nowhere', { programs: [{ name: 'a', mode: 'push' }] }, 'template.programs.0.backend_url'],
    ['an unknown field', { token: 'x' }, 'template'],
  ])('has no template with %s', async (_what, template, path) => {
    expect(await faultOf(template)).toMatchObject({ path });
  });
});

describe('the link by which people make bots', () => {
  const linkOf = async (query: Record<string, string> = {}) =>
    api.admin('GET', '/api/bots/creation-link', { query: { bot_id: String(parent.id), ...query } });

  test('proposes a username and a name', async () => {
    await update({ adopts: true });
    const given = await linkOf({ username: 'corner_bot', name: 'Corner & Co' });
    expect(given.json).toEqual({ link: 'https://t.me/newbot/head_bot/corner_bot?name=Corner%20%26%20Co' });
    const { link } = (await linkOf()).json as { link: string };
    expect(link).toMatch(/^https:\/\/t\.me\/newbot\/head_bot\/head_[0-9a-f]{8}_bot$/);
    const person = (await api.platform.createPerson({})).id;
    expect(await api.platform.createManagedBot({ person, link })).toMatchObject({ id: expect.any(Number) });
  });

  test('is refused for a bot that adopts none, and for a username that the platform would refuse', async () => {
    expect(await linkOf({ username: 'corner' })).toMatchObject({ status: 400 });
    await update({ adopts: false });
    expect(await linkOf()).toMatchObject({ status: 400, json: { error: expect.stringContaining('adopts') } });
  });
});
