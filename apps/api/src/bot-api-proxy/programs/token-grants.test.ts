import type { BotResource } from '@flotilla/contract/bots.ts';
import {
  type GrantingPlatform,
  type PlatformCall,
  startGrantingPlatform,
} from '@flotilla/testing/granting-platform.ts';
import { file, form, json, part, post } from '@flotilla/testing/request-bodies.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

let platform: GrantingPlatform;
let api: TestApi;
let bot: BotResource;
let program_id: number;

beforeAll(async () => {
  platform = await startGrantingPlatform();
  api = await startTestApi({ TELEGRAM_API_URL: platform.url });
  bot = await api.addBot();
  const added = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, name: 'one' } });
  program_id = (added.json as { id: number }).id;
}, 60_000);
afterAll(async () => {
  await api?.stop();
  await platform?.stop();
});
beforeEach(() => {
  platform.calls.length = 0;
});

async function newToken(methods?: string[], chats?: number[]): Promise<string> {
  const body = { program_id, name: 'a', ...(methods && { methods }), ...(chats && { chats }) };
  const made = await api.admin('POST', '/api/programs/tokens/add', { body });
  expect({ status: made.status, text: made.text }).toEqual({ status: 200, text: expect.any(String) });
  return (made.json as { token: string }).token;
}

async function send(token: string, path: string, init: RequestInit = {}) {
  const headers = { ...(init.headers as Record<string, string>), 'x-test': '1' };
  const answer = await fetch(`${api.url}/tgapi/bot${token}/${path}`, { ...init, headers });
  return { status: answer.status, json: (await answer.json()) as { description?: string } };
}

const urlencoded = (body: string) => post('application/x-www-form-urlencoded', body);
const ofForm = '\r\nContent-Type: application/x-www-form-urlencoded';
const inPieces = (text: string) =>
  new ReadableStream({
    start(controller) {
      for (const piece of [text.slice(0, 5), text.slice(5)]) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });

/** By tokens that may send, and were not allowed to pay or to read files of a disk. */
const TOKENS: [string, string[] | undefined, number[] | undefined][] = [
  ['without limits', undefined, undefined],
  ['of methods', ['send', 'edit', 'moderate', 'files', 'postStory'], undefined],
  ['of chats', ['send', 'edit', 'moderate', 'files'], [5]],
];
const POST = { price: { currency: 'XTR', amount: 5 } };
const PRICES = { chat_id: 5, from_chat_id: 5, text: 'a', message_ids: [1] };

describe.each(TOKENS)('a token %s', (_name, methods, chats) => {
  let token: string;
  beforeAll(async () => {
    token = await newToken(methods, chats);
  });

  test.each<[string, string, RequestInit]>([
    ['in the query string', 'sendMessage?chat_id=5&allow_paid_broadcast=1', {}],
    ['in JSON', 'sendMessage', json({ ...PRICES, allow_paid_broadcast: true })],
    ['in a JSON of many', 'sendPhoto', json({ ...PRICES, allow_paid_broadcast: 'YES' })],
    ['urlencoded', 'copyMessage', urlencoded('chat_id=5&from_chat_id=5&allow_paid_broadcast=True')],
    ['in a form', 'sendDice', form(part('chat_id', '5'), part('allow_paid_broadcast', ' true '))],
    ['after a file', 'sendPhoto', form(part('chat_id', '5'), file('photo'), part('allow_paid_broadcast', '1'))],
    [
      'after a large file',
      'sendPhoto',
      form(part('chat_id', '5'), file('photo', 2_000_000), part('allow_paid_broadcast', '1')),
    ],
    [
      'in a body that comes later',
      'sendMessage',
      post('application/json', inPieces(JSON.stringify({ ...PRICES, allow_paid_broadcast: true }))),
    ],
    ['as the price of a post', 'sendMessage', json({ ...PRICES, suggested_post_parameters: POST })],
    ['of which no document speaks', 'forwardMessages', json({ ...PRICES, suggested_post_parameters: POST })],
  ])('does not spend Stars %s', async (_name, path, init) => {
    expect(await send(token, path, init)).toMatchObject({
      status: 403,
      json: { description: expect.stringMatching(/can cost Stars, which needs payments among its methods$/) },
    });
    expect(platform.calls).toEqual([]);
  });

  test.each<[string, string, RequestInit]>([
    ['in JSON', 'sendMessage', json({ chat_id: 5, allow_paid_broadcast: false })],
    ['in the query string', 'sendMessage?chat_id=5&allow_paid_broadcast=', {}],
    [
      'in a form with a file',
      'sendPhoto',
      form(part('chat_id', '5'), part('allow_paid_broadcast', 'False'), file('photo')),
    ],
  ])('may say that it does not pay %s', async (_name, path, init) => {
    expect((await send(token, path, init)).status).toBe(200);
    expect(platform.calls).toHaveLength(1);
  });

  test.each<[string, string, RequestInit]>([
    ['an escape that JSON does not know', 'sendMessage', json(String.raw`{"chat_id":5,"allow\_paid_broadcast":true}`)],
    ['an escape of JSON', 'sendMessage', json(String.raw`{"chat_id":5,"allow\u005fpaid_broadcast":true}`)],
    ['percents', 'sendMessage', urlencoded('chat_id=5&allow%5fpaid%5fbroadcast=1')],
    ['percents in the query string', 'sendMessage?chat_id=5&allow%5fpaid%5fbroadcast=1', {}],
    ['a part that is a form', 'sendMessage', form(part('chat_id', '5'), part('x', 'allow%5fpaid_broadcast=1', ofForm))],
    [
      'such a part after a file',
      'sendPhoto',
      form(part('chat_id', '5'), file('photo'), part('x', 'allow%5fpaid_broadcast=1', ofForm)),
    ],
    ['the name of a part in percents', 'sendMessage', form(part('chat_id', '5'), part('allow%5fpaid_broadcast', '1'))],
  ])('does not spend Stars by %s', async (_name, path, init) => {
    const { status } = await send(token, path, init);
    if (status !== 200) {
      expect([400, 403]).toContain(status);
      expect(platform.calls).toEqual([]);
      return;
    }
    // An empty value goes first, or nothing that this parameter could be read in.
    const [{ url, body, type }] = platform.calls as [PlatformCall];
    if (url.search.startsWith('?allow_paid_broadcast=&suggested_post_parameters=')) return;
    expect(url.search).toBe('');
    expect(type).toMatch(/^application\/json$|^multipart\/form-data; boundary=flotilla-/);
    expect(body).not.toContain('\r\nContent-Type: application/x-www-form-urlencoded');
    if (type === 'application/json') expect(Object.keys(JSON.parse(body))).not.toContain('allow_paid_broadcast');
    else expect(body).not.toMatch(/name="allow/);
  });

  const DISK = 'file:///etc/passwd';
  const media = (of: object) => JSON.stringify([{ type: 'photo', media: 'AgAC', ...of }]);
  test.each<[string, string, RequestInit]>([
    ['in the query string', `sendPhoto?chat_id=5&photo=${DISK}`, {}],
    ['with one slash', 'sendPhoto?chat_id=5&photo=file:/etc/passwd', {}],
    ['in JSON', 'sendDocument', json({ chat_id: 5, document: DISK })],
    ['escaped in JSON', 'sendVideo', json(String.raw`{"chat_id":5,"video":"f\u0069le:///etc/passwd"}`)],
    ['urlencoded', 'sendSticker', urlencoded('chat_id=5&sticker=%66ile:///etc/passwd')],
    ['in a form', 'sendVoice', form(part('chat_id', '5'), part('voice', DISK))],
    ['as a thumbnail', 'sendAudio', form(part('chat_id', '5'), file('audio'), part('thumbnail', DISK))],
    ['by a name that is not documented any more', 'sendAudio', json({ chat_id: 5, audio: 'AgAC', thumb: DISK })],
    ['in an album', 'sendMediaGroup', json({ chat_id: 5, media: JSON.parse(media({ media: DISK })) })],
    [
      'in an album as text',
      'sendMediaGroup',
      urlencoded(`chat_id=5&media=${encodeURIComponent(media({ thumbnail: DISK }))}`),
    ],
    ['in an album behind odd spaces', 'sendMediaGroup', json({ chat_id: 5, media: `\v\0${media({ cover: DISK })}` })],
    [
      'in an album after a file',
      'sendMediaGroup',
      form(part('chat_id', '5'), file('a'), part('media', media({ media: DISK }))),
    ],
    [
      'in an album with escapes that JSON does not know',
      'sendMediaGroup',
      json({ chat_id: 5, media: media({ media: 'FILE' }).replace('FILE', String.raw`f\ile:/etc/passwd`) }),
    ],
    [
      'in an edited message',
      'editMessageMedia',
      json({ chat_id: 5, message_id: 1, media: { type: 'photo', media: DISK } }),
    ],
    [
      'in a rich message',
      'editMessageText',
      json({
        chat_id: 5,
        message_id: 1,
        rich_message: { media: [{ id: '1', media: { type: 'photo', media: DISK } }] },
      }),
    ],
    ['in a poll', 'sendPoll', json({ chat_id: 5, options: [{ text: 'a', media: { type: 'photo', media: DISK } }] })],
    ['as the photo of a chat', 'setChatPhoto', json({ chat_id: 5, photo: DISK })],
    ['in a set of stickers', 'createNewStickerSet', json({ user_id: 5, stickers: [{ sticker: DISK }] })],
    ['in a story', 'postStory', json({ content: { type: 'photo', photo: DISK } })],
    ['in an inline result', 'answerInlineQuery', json({ inline_query_id: '1', results: [{ media: DISK }] })],
    ['in a method that nobody knows', 'sendSomethingNew', json({ chat_id: 5, photo: DISK })],
    ['in a parameter that nobody knows', 'sendPhoto', json({ chat_id: 5, hologram: [DISK] })],
  ])('does not name a file of a disk %s', async (_name, path, init) => {
    const { status, json } = await send(token, path, init);
    expect({ status, json }).toMatchObject({
      status: 403,
      json: { description: expect.stringMatching(/^Forbidden: /) },
    });
    expect(platform.calls).toEqual([]);
  });

  test('sells nothing by an inline result', async () => {
    const content = { title: 'a', payload: 'a', currency: 'XTR', prices: [{ label: 'a', amount: 1 }] };
    const results = [{ type: 'article', id: '1', title: 'a', input_message_content: content }];
    expect((await send(token, 'answerInlineQuery', json({ inline_query_id: '1', results }))).status).toBe(403);
    expect(platform.calls).toEqual([]);
  });

  test('sends files, albums and texts that only look like a file', async () => {
    const album = media({ media: 'attach://a b', caption: 'the file: a' });
    const sent = form(part('chat_id', '5'), part('media', album), file('a b', 2_000_000), part('protect_content', '1'));
    expect((await send(token, 'sendMediaGroup', sent)).status).toBe(200);
    const [{ url, body, type }] = platform.calls as [PlatformCall];
    const parts = await new Response(body, { headers: { 'content-type': type } }).formData();
    expect(url.search).toBe('');
    expect(Object.fromEntries([...parts].filter(([, value]) => typeof value === 'string'))).toEqual({
      ...{ chat_id: '5', media: album, protect_content: '1' },
    });
    const [[name, content] = []] = [...parts].filter(([, value]) => typeof value !== 'string');
    expect({ name, content }).toMatchObject({ name: 'a%20b', content: { name: 'a.bin', size: 2_000_000 } });
    expect((await send(token, 'sendMessage', json({ chat_id: 5, text: DISK }))).status).toBe(200);
    expect(
      (await send(token, 'sendPhoto', json({ chat_id: 5, photo: 'https://a/file:/b', caption: DISK }))).status,
    ).toBe(200);
  });

  test('is refused a form that ends before its end, and the platform does not get the call', async () => {
    const body = `${part('chat_id', '5')}${file('photo', 2_000_000)}`;
    const { status } = await send(token, 'sendPhoto', post('multipart/form-data; boundary=b', body));
    expect(status).toBe(400);
    expect(platform.calls).toEqual([]);
  });
});

test('with payments among its methods a token pays, and with local_files it names files of a disk', async () => {
  const [pays, reads] = [await newToken(['send', 'payments']), await newToken(['send', 'local_files'])];
  const paid = json({ chat_id: 5, allow_paid_broadcast: true });
  const ofDisk = json({ chat_id: 5, photo: 'file:///data/a.jpg' });
  for (const init of [paid, json({ chat_id: 5, suggested_post_parameters: POST })])
    expect((await send(pays, 'sendMessage', init)).status).toBe(200);
  expect(JSON.parse(platform.calls[0]!.body)).toEqual({ chat_id: 5, allow_paid_broadcast: true });
  expect((await send(pays, 'sendPhoto', ofDisk)).status).toBe(403);
  expect((await send(reads, 'sendPhoto', ofDisk)).status).toBe(200);
  expect((await send(reads, 'sendMessage', paid)).status).toBe(403);
  const both = await newToken(['send', 'payments', 'local_files'], [5]);
  const everything = json({ chat_id: 5, allow_paid_broadcast: true, photo: 'file:///data/a.jpg' });
  expect((await send(both, 'sendPhoto', everything)).status).toBe(200);
});

test('methods that nobody knows are called by tokens that name them or `new`, within their chats', async () => {
  const reaches = async (token: string, method: string, parameters: object = {}) => {
    const { status, json: answer } = await send(token, method, json(parameters));
    return status === 200 || `${status} ${answer.description}`;
  };
  const [listed, named, group] = [
    await newToken(['send']),
    await newToken(['sendSomethingNew']),
    await newToken(['new']),
  ];
  const ofChats = await newToken(['new', 'getManagedBotSomething'], [5]);
  const no = (method: string, why = '') => `403 Forbidden: this token may not call ${method}${why}`;
  expect(await reaches(listed, 'sendSomethingNew')).toBe(no('sendsomethingnew'));
  expect(await reaches(named, 'sendSomethingNew', { hologram: 'a' })).toBe(true);
  expect(await reaches(named, 'getSomethingNew')).toBe(no('getsomethingnew'));
  expect(await reaches(group, 'getSomethingNew')).toBe(true);
  expect(await reaches(group, 'sendMessage', { chat_id: 5 })).toBe(no('sendMessage'));
  expect(await reaches(group, 'getManagedBotSomething')).toBe(no('getmanagedbotsomething'));
  expect(await reaches(group, 'sendSomethingNew', { hologram: 'file:///etc/passwd' })).toMatch(
    /^403 .*: hologram names a file/,
  );
  expect(await reaches(ofChats, 'sendSomethingNew', { chat_id: 5, text: 'a' })).toBe(true);
  expect(JSON.parse(platform.calls.at(-1)!.body)).toEqual({ chat_id: '5', text: 'a' });
  expect(await reaches(ofChats, 'getManagedBotSomething', { chat_id: 5 })).toBe(true);
  for (const [parameters, why] of [
    [{}, 'chat_id is missing, or comes after the first file'],
    [{ chat_id: 6 }, 'chat_id is not one of its chats'],
    [{ chat_id: 5, hologram: 'a' }, 'nothing is known of hologram'],
    [{ chat_id: 5, inline_message_id: 'a' }, 'inline_message_id leads out of its chats'],
  ] as const)
    expect(await reaches(ofChats, 'sendSomethingNew', parameters)).toBe(no('sendsomethingnew', `: ${why}`));
});

test('in its chats, `new` allows what acts in a chat by its name, and nothing that acts on a person, a gift or Stars', async () => {
  const [group, named] = [await newToken(['new'], [5]), await newToken(['new', 'sendGiftNew', 'setMyAnything'], [5])];
  const statusOf = async (token: string, method: string, parameters = {}) =>
    (await send(token, method, json({ chat_id: 5, ...parameters }))).status;
  for (const method of ['setMyAnything', 'deleteMyAnything', 'deleteStickerSomething', 'banSomething'])
    expect({ method, status: await statusOf(group, method) }).toEqual({ method, status: 403 });
  for (const method of ['sendGiftNew', 'editSomething', 'unpinSomething'])
    expect({ method, status: await statusOf(group, method) }).toEqual({ method, status: 200 });
  expect(await statusOf(named, 'setMyAnything')).toBe(200);
  for (const name of ['gift_id', 'star_count', 'owned_gift_id', 'user_id', 'new_owner_chat_id', 'story_id']) {
    expect({ name, status: await statusOf(group, 'sendGiftNew', { [name]: 1 }) }).toEqual({ name, status: 403 });
    expect({ name, status: await statusOf(named, 'sendGiftNew', { [name]: 1 }) }).toEqual({ name, status: 200 });
  }
  const late = await send(
    group,
    'sendGiftNew',
    form(part('chat_id', '5'), file('photo', 2_000_000), part('user_id', '7')),
  );
  expect(late.json.description).toMatch(/user_id/);
});

test('a token without a list calls no method that spends Stars; its names or payments allow them', async () => {
  const [plain, named, group] = [await newToken(), await newToken(['upgradeGift']), await newToken(['payments'])];
  for (const method of ['sendGift', 'refundStarPayment', 'transferBusinessAccountStars', 'upgradeGift', 'transferGift'])
    expect((await send(plain, method)).status).toBe(403);
  expect((await send(plain, 'sendInvoice', json({ chat_id: 5, title: 'a' }))).status).toBe(200);
  expect((await send(named, 'upgradeGift')).status).toBe(200);
  expect((await send(group, 'sendGift')).status).toBe(200);
});

test('a user grants neither, nor what is new', async () => {
  const { key } = await insertAccount(api.database.db, { username: 'granting', bots: [bot.id] });
  for (const name of ['payments', 'local_files', 'new', 'sendSomethingNew']) {
    const body = { program_id, name: 'a', methods: ['send', name] };
    const made = await restClient(api.url, key)('POST', '/api/programs/tokens/add', { body });
    expect({ name, status: made.status }).toEqual({ name, status: 403 });
  }
});
