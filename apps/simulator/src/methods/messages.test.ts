import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';

let platform: TestPlatform;
let bot: { id: number; token: string };
let other: { id: number; token: string };
let ann: number;
let chat: number;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  const { control } = platform;
  [bot, other] = await Promise.all([control.createBot({}), control.createBot({})]);
  ann = (await control.createPerson({ firstName: 'Ann' })).id;
  chat = (await control.createChat({ type: 'supergroup', creator: ann, members: [bot.id, other.id] })).id;
});

const say = (text: string, where = chat) => platform.control.sendMessage({ person: ann, chat: where, text });

test('every bot in a group sees what people write, and no bot sees what bots write', async () => {
  await say('hello');
  await platform.ok(bot, 'sendMessage', { chat_id: chat, text: 'from a bot' });
  for (const one of [bot, other]) {
    expect(await platform.take(one)).toMatchObject([['message', { text: 'hello', from: { id: ann } }]]);
  }
});

test("channel posts reach the channel's bots but not their author", async () => {
  const channel = (await platform.control.createChat({ type: 'channel', admins: [{ bot: bot.id }, { bot: other.id }] }))
    .id;
  const post = await platform.ok(bot, 'sendMessage', { chat_id: channel, text: 'news' });
  expect(post).not.toHaveProperty('from');
  await platform.ok(bot, 'editMessageText', { chat_id: channel, message_id: post.message_id, text: 'newer' });
  expect(await platform.take(bot)).toEqual([]);
  expect((await platform.take(other)).map(([kind, { text }]) => [kind, text])).toEqual([
    ['channel_post', 'news'],
    ['edited_channel_post', 'newer'],
  ]);
});

test('replies, edits, copies, forwards and deletions do what they say', async () => {
  const { messageId: message_id } = await say('original');
  const reply = await platform.ok(bot, 'sendMessage', {
    chat_id: chat,
    text: 're',
    reply_parameters: { message_id },
  });
  expect(reply).toMatchObject({ reply_to_message: { message_id, text: 'original' } });
  const old = await platform.ok(bot, 'sendMessage', { chat_id: chat, text: 're', reply_to_message_id: message_id });
  expect(old).toHaveProperty('reply_to_message');

  const edit = { chat_id: chat, message_id: reply.message_id, text: '<b>edited</b>', parse_mode: 'HTML' };
  expect(await platform.ok(bot, 'editMessageText', edit)).toMatchObject({
    text: 'edited',
    entities: [{ type: 'bold' }],
  });
  expect(await platform.refused(bot, 'editMessageText', edit)).toMatch(/^Bad Request: message is not modified: /);
  expect(await platform.refused(bot, 'editMessageText', { ...edit, message_id: 9999 })).toBe(
    'Bad Request: message to edit not found',
  );
  expect(await platform.refused(bot, 'editMessageText', { ...edit, message_id })).toBe(
    "Bad Request: message can't be edited",
  );

  const places = { chat_id: chat, from_chat_id: chat };
  const forward = await platform.ok(bot, 'forwardMessage', { ...places, message_id });
  expect(forward).toMatchObject({ text: 'original', forward_origin: { type: 'user', sender_user: { id: ann } } });
  const copy = await platform.ok(bot, 'copyMessage', { ...places, message_id });
  expect(Object.keys(copy)).toEqual(['message_id']);
  const copies = await platform.ok<object[]>(bot, 'copyMessages', { ...places, message_ids: [message_id, 9999] });
  expect(copies).toHaveLength(1);
  expect(await platform.refused(bot, 'copyMessage', { ...places, message_id: 9999 })).toBe(
    'Bad Request: message to copy not found',
  );

  await platform.ok(bot, 'deleteMessage', { chat_id: chat, message_id: copy.message_id });
  expect(await platform.refused(bot, 'deleteMessage', { chat_id: chat, message_id: copy.message_id })).toBe(
    'Bad Request: message to delete not found',
  );
  expect(await platform.refused(bot, 'deleteMessage', { chat_id: chat, message_id })).toBe(
    "Bad Request: message can't be deleted for everyone",
  );
});

test('media of every kind, albums, spoilers and captions are shown as sent', async () => {
  const file = new Blob(['bytes']);
  const upload = async (method: string, fields: Record<string, string | Blob>) => {
    const form = new FormData();
    form.set('chat_id', String(chat));
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') form.set(name, value);
      else form.set(name, value, 'a file.bin');
    }
    const response = await fetch(`${platform.url}/bot${bot.token}/${method}`, { method: 'POST', body: form });
    return ((await response.json()) as { result: Record<string, unknown> }).result;
  };
  for (const kind of ['document', 'video', 'animation', 'audio', 'voice', 'video_note', 'sticker']) {
    const shown = await upload(`send${kind.replace('_', '')}`, { [kind]: file });
    expect(shown[kind]).toMatchObject({ file_size: 5 });
  }
  const photo = await upload('sendPhoto', { photo: file, caption: '*c*', parse_mode: 'Markdown', has_spoiler: 'true' });
  expect(photo).toMatchObject({ caption: 'c', caption_entities: [{ type: 'bold' }], has_media_spoiler: true });
  const [{ file_id }] = photo.photo as [{ file_id: string }];
  const media = [
    { type: 'photo', media: 'attach://one', caption: 'first' },
    { type: 'photo', media: file_id },
  ];
  const album = (await upload('sendMediaGroup', { media: JSON.stringify(media), one: file })) as unknown as object[];
  expect(album).toHaveLength(2);
  expect(new Set(album.map((message) => (message as Record<string, unknown>).media_group_id)).size).toBe(1);
  const edited = {
    chat_id: chat,
    message_id: photo.message_id,
    media: { type: 'photo', media: file_id, caption: 'new' },
  };
  expect(await platform.ok(bot, 'editMessageMedia', edited)).toMatchObject({ caption: 'new' });
});

test('a file comes down byte for byte, whole and in ranges, and not above 20 MiB', async () => {
  const sent = await platform.control.sendMessage({
    person: ann,
    chat,
    file: { kind: 'document', name: 'x.txt', base64: Buffer.from('0123456789').toString('base64') },
  });
  const { file_path } = await platform.ok<{ file_path: string }>(bot, 'getFile', { file_id: sent.fileId });
  const url = `${platform.url}/file/bot${bot.token.replace(':', '%3A')}/${file_path.replaceAll('/', '%2F')}`;
  const whole = await fetch(url);
  expect([whole.headers.get('content-type'), await whole.text()]).toEqual(['text/plain', '0123456789']);
  const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234']);
  expect((await fetch(url, { headers: { range: 'bytes=10-' } })).status).toBe(416);
  expect((await fetch(`${platform.url}/file/bot${bot.token}/documents/none`)).status).toBe(404);
  const large = await platform.control.sendMessage({
    person: ann,
    chat,
    file: { kind: 'document', base64: Buffer.alloc(20 * 1024 * 1024 + 1).toString('base64') },
  });
  expect(await platform.refused(bot, 'getFile', { file_id: large.fileId })).toBe('Bad Request: file is too big');
});

test('locations, venues, contacts, dice and polls are sent and votes come back', async () => {
  const send = (method: string, params: object) => platform.ok(bot, method, { chat_id: chat, ...params });
  expect(await send('sendLocation', { latitude: 1.5, longitude: 2 })).toMatchObject({ location: { latitude: 1.5 } });
  expect(await send('sendVenue', { latitude: 1, longitude: 2, title: 't', address: 'a' })).toHaveProperty('venue');
  expect(await send('sendContact', { phone_number: '1', first_name: 'C' })).toHaveProperty('contact.first_name', 'C');
  expect(await send('sendDice', {})).toHaveProperty('dice.emoji', '🎲');
  const poll = await send('sendPoll', { question: 'q', options: ['a', { text: 'b' }], is_anonymous: false });
  await platform.control.vote({ person: ann, pollId: (poll.poll as { id: string }).id, options: [1] });
  expect(await platform.take(bot)).toMatchObject([
    ['poll', { total_voter_count: 1, options: [{ voter_count: 0 }, { voter_count: 1 }] }],
    ['poll_answer', { option_ids: [1], user: { id: ann } }],
  ]);
  expect(await platform.ok(bot, 'stopPoll', { chat_id: chat, message_id: poll.message_id })).toHaveProperty(
    'is_closed',
    true,
  );
});

test('buttons, inline queries and reactions go round', async () => {
  const reply_markup = {
    inline_keyboard: [
      [
        { text: 'a', callback_data: 'A' },
        { text: 'b', callback_data: 'B' },
      ],
    ],
  };
  const shown = await platform.ok<{ message_id: number }>(bot, 'sendMessage', {
    chat_id: chat,
    text: 'x',
    reply_markup,
  });
  const { queryId } = await platform.control.pressButton({
    person: ann,
    chat,
    messageId: shown.message_id,
    data: 'B',
  });
  expect(await platform.take(bot)).toMatchObject([['callback_query', { id: queryId, data: 'B' }]]);
  await platform.ok(bot, 'answerCallbackQuery', { callback_query_id: queryId, text: 't', show_alert: true });
  expect((await platform.control.readQuery({ queryId })).answer).toMatchObject({ text: 't', show_alert: 'true' });
  expect(await platform.refused(bot, 'answerCallbackQuery', { callback_query_id: queryId })).toBe(
    'Bad Request: query is too old and response timeout expired or query ID is invalid',
  );

  const inline = await platform.control.typeInlineQuery({ person: ann, bot: bot.id, query: 'q' });
  const results = [{ type: 'article', id: '1', title: 'T', input_message_content: { message_text: 'inline' } }];
  await platform.ok(bot, 'answerInlineQuery', { inline_query_id: inline.queryId, results });
  const chosen = await platform.control.chooseInlineResult({ person: ann, queryId: inline.queryId, resultId: '1' });
  await platform.ok(bot, 'editMessageText', { inline_message_id: chosen.inlineMessageId, text: 'changed' });
  expect((await platform.take(bot)).map(([kind]) => kind)).toEqual(['inline_query', 'chosen_inline_result']);

  await platform.ok(bot, 'setMessageReaction', {
    chat_id: chat,
    message_id: shown.message_id,
    reaction: [{ type: 'emoji', emoji: '👍' }],
  });
  expect(await platform.ok(bot, 'sendChatAction', { chat_id: chat, action: 'typing' })).toBe(true);
});

test.each([
  ['sendMessage', { text: 'x' }, 'chat_id is empty'],
  ['sendMessage', { chat_id: 12345, text: 'x' }, 'chat not found'],
  ['sendMessage', { chat_id: 'chat', text: ' ' }, 'message text is empty'],
  ['sendMessage', { chat_id: 'chat', text: 'x'.repeat(4097) }, 'message is too long'],
  ['sendMessage', { chat_id: 'chat', text: 'x', reply_to_message_id: 999 }, 'message to be replied not found'],
  ['sendMessage', { chat_id: 'chat', text: 'x', parse_mode: 'wiki' }, 'unsupported parse_mode'],
  ['sendMessage', { chat_id: 'chat', text: 'x', reply_markup: '{' }, "can't parse reply keyboard markup JSON object"],
  ['sendPhoto', { chat_id: 'chat' }, 'there is no photo in the request'],
  ['sendPhoto', { chat_id: 'chat', photo: 'nonsense' }, 'wrong file identifier/HTTP URL specified'],
  ['deleteMessages', { chat_id: 'chat', message_ids: [] }, 'message identifiers are not specified'],
  ['getFile', {}, 'file_id not specified'],
])("%s %j is refused in the platform's words", async (method, params, reason) => {
  const { chat_id, ...rest } = params as Record<string, unknown>;
  const where = chat_id === undefined ? {} : { chat_id: chat_id === 'chat' ? chat : chat_id };
  expect(await platform.refused(bot, method, { ...where, ...rest })).toBe(`Bad Request: ${reason}`);
});
