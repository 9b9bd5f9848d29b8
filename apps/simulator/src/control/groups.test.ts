import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';

let platform: TestPlatform;
let bot: { id: number; token: string };
let ann: number;
let ben: number;
let chat: number;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  const { control } = platform;
  bot = await control.createBot({ username: `tide_${Date.now()}_bot`, privacy: true });
  ann = (await control.createPerson({ firstName: 'Ann', lastName: 'Lee', username: 'ann' })).id;
  ben = (await control.createPerson({ firstName: 'Ben', languageCode: 'ru' })).id;
  chat = (await control.createChat({ type: 'supergroup', title: 'Pier', creator: ann, members: [ben, bot.id] })).id;
});

const username = async () => (await platform.ok<{ username: string }>(bot, 'getMe')).username;
const says = (text: string, more: object = {}) => platform.control.sendMessage({ person: ann, chat, text, ...more });
async function heard(): Promise<string[]> {
  const updates = await platform.take(bot);
  return updates.map(([kind, payload]) => String(payload.text ?? payload.caption ?? kind));
}

describe('a bot in privacy mode', () => {
  test('gets from a group commands, mentions, replies to it and service messages only', async () => {
    const name = await username();
    const answer = await platform.ok<{ message_id: number }>(bot, 'sendMessage', { chat_id: chat, text: 'Hello' });
    await says('among us');
    const { messageId } = await says(`ask @${name.toUpperCase()}`);
    await says('this is a reply', { replyTo: answer.message_id });
    await says('a reply to what was meant for it', { replyTo: messageId });
    await says('a reply to somebody else', { replyTo: (await says('aside')).messageId });
    await says(`/tide@${name}`);
    await says('/tide@another_bot');
    await says('mail me: tide@pier.org or @another_bot');
    await platform.control.setMember({ chat, person: ben, status: 'left' });
    expect(await heard()).toEqual([
      ...[`ask @${name.toUpperCase()}`, 'this is a reply', 'a reply to what was meant for it', `/tide@${name}`],
      'message',
    ]);
  });

  test('gets a command without a name only if no other bot wrote after it', async () => {
    const other = await platform.control.createBot({});
    await platform.control.setMember({ chat, bot: other.id, status: 'member' });
    await heard();
    await says('/first');
    await platform.ok(other, 'sendMessage', { chat_id: chat, text: 'It is me' });
    await says('/second');
    await platform.ok(bot, 'sendMessage', { chat_id: chat, text: 'No, me' });
    await says('/third');
    expect(await heard()).toEqual(['/first', '/third']);
  });

  test('gets everything as a chat-admin, in private, and once the mode is off', async () => {
    await says('not for it');
    await platform.control.setMember({ chat, bot: bot.id, status: 'administrator' });
    await heard();
    await says('to all');
    await platform.control.setMember({ chat, bot: bot.id, status: 'member' });
    await platform.control.sendMessage({ person: ann, bot: bot.id, text: 'in private' });
    expect(await platform.ok(bot, 'getMe')).toMatchObject({ can_read_all_group_messages: false });
    await platform.control.setPrivacy({ bot: bot.id, privacy: false });
    expect(await platform.ok(bot, 'getMe')).toMatchObject({ can_read_all_group_messages: true });
    await says('open');
    expect(await heard()).toEqual(['to all', 'my_chat_member', 'in private', 'open']);
  });

  test('is not told of edits that it may not read', async () => {
    const { messageId } = await says('among us');
    await platform.control.editMessage({ person: ann, chat, messageId, text: 'still among us' });
    await platform.control.editMessage({ person: ann, chat, messageId, text: `now for @${await username()}` });
    expect(await platform.take(bot)).toMatchObject([
      ['edited_message', { entities: [{ type: 'mention', offset: 8 }] }],
    ]);
  });
});

describe('what a person sees', () => {
  test('the chats of a bot, also of one that left, with their newest messages', async () => {
    const { control } = platform;
    await says('first');
    const { id: forum } = await control.createChat({
      type: 'supergroup',
      forum: true,
      title: 'Docks',
      members: [bot.id],
    });
    await platform.ok(bot, 'leaveChat', { chat_id: chat });
    const listed = await control.listChats({ bot: bot.id });
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual({
      id: forum,
      type: 'supergroup',
      title: 'Docks',
      isForum: true,
      status: 'member',
      last: null,
    });
    expect(listed.find(({ id }) => id === chat)).toMatchObject({
      status: 'left',
      last: { left_chat_member: { id: bot.id } },
    });
    expect(await control.listChats({ person: ben, limit: 1 })).toMatchObject([{ id: chat, status: 'member' }]);
  });

  test('the newest messages only if it asks for a few, members by name, and reactions', async () => {
    const { control } = platform;
    await says('one');
    const { messageId } = await says('two');
    await control.react({ person: ben, chat, messageId, emoji: ['👍'] });
    const shown = await control.readChat({ chat, limit: 1 });
    expect(shown.messages.map(({ text }) => text)).toEqual(['two']);
    expect(shown.members).toContainEqual({
      id: ann,
      status: 'creator',
      name: 'Ann Lee',
      username: 'ann',
      isBot: false,
    });
    expect(shown.reactions).toEqual([{ messageId, by: ben, emoji: ['👍'] }]);
    expect((await control.readChat({ chat, limit: 0 })).messages).toEqual([]);
    expect((await control.listPeople()).map(({ id }) => id)).toEqual(expect.arrayContaining([ann, ben]));
  });

  test('the keyboard that a bot showed last, until it takes it away', async () => {
    const keyboard = { keyboard: [[{ text: 'High water' }]], one_time_keyboard: true };
    const keyboardNow = async () => (await platform.control.readChat({ chat })).keyboard;
    const sends = (reply_markup: object) =>
      platform.ok<{ message_id: number }>(bot, 'sendMessage', { chat_id: chat, text: 'Choose', reply_markup });
    const { message_id: messageId, ...sent } = await sends(keyboard);
    expect(sent).not.toHaveProperty('reply_markup');
    expect(await keyboardNow()).toEqual({ messageId, botId: bot.id, markup: keyboard });
    await sends({ inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] });
    expect(await keyboardNow()).toMatchObject({ messageId });
    await sends({ force_reply: true, input_field_placeholder: 'When?' });
    expect(await keyboardNow()).toMatchObject({ markup: { force_reply: true } });
    await sends({ remove_keyboard: true });
    expect(await keyboardNow()).toBeNull();
  });

  test('the commands of the narrowest scope, in their language', async () => {
    const set = (command: string, more: object) =>
      platform.ok(bot, 'setMyCommands', { commands: [{ command, description: 'what it does' }], ...more });
    const offered = async (person: number, shared?: number) => {
      const where = shared === undefined ? {} : { chat: shared };
      const commands = await platform.control.listCommands({ person, bot: bot.id, ...where });
      return commands.map(({ command }) => command);
    };
    expect(await offered(ann)).toEqual([]);
    await set('all', {});
    await set('vse', { language_code: 'ru' });
    await set('groups', { scope: { type: 'all_group_chats' } });
    await set('admins', { scope: { type: 'chat_administrators', chat_id: chat } });
    expect([await offered(ann), await offered(ben)]).toEqual([['all'], ['vse']]);
    expect([await offered(ann, chat), await offered(ben, chat)]).toEqual([['admins'], ['groups']]);
    await set('here', { scope: { type: 'chat', chat_id: chat } });
    await set('yours', { scope: { type: 'chat_member', chat_id: chat, user_id: ann } });
    expect([await offered(ann, chat), await offered(ben, chat)]).toEqual([['yours'], ['here']]);
  });
});

test('a caption has links and commands as a text does', async () => {
  const file = { kind: 'document', name: 'a.txt', base64: 'YQ==' } as const;
  await platform.control.sendMessage({ person: ann, chat, file, caption: `see /tide@${await username()}` });
  expect(await platform.take(bot)).toMatchObject([
    ['message', { caption_entities: [{ type: 'bot_command', offset: 4 }] }],
  ]);
});

test('a draft ends with the message that it was for, and a file says where it is downloaded', async () => {
  const { control } = platform;
  await control.startBot({ person: ann, bot: bot.id, quietly: true });
  await platform.ok(bot, 'sendMessageDraft', { chat_id: ann, draft_id: 5, text: 'High wa' });
  await platform.ok(bot, 'sendMessage', { chat_id: ann, text: 'High water at 06:40' });
  const { drafts, started, blocked } = await control.readChat({ person: ann, bot: bot.id });
  expect({ drafts, started, blocked }).toEqual({ drafts: {}, started: true, blocked: false });
  const file = { kind: 'document', name: 'tides.txt', base64: 'YQ==' } as const;
  const { fileId } = await control.sendMessage({ person: ann, bot: bot.id, file });
  const voice = { kind: 'voice', base64: 'YQ==', duration: 7 } as const;
  await control.sendMessage({ person: ann, bot: bot.id, file: voice });
  expect((await platform.take(bot)).at(-1)).toMatchObject(['message', { voice: { duration: 7 } }]);
  const { path, ...shown } = await control.readFile({ fileId: fileId! });
  expect(shown).toMatchObject({ name: 'tides.txt', size: 1, mime: 'text/plain' });
  expect(await (await fetch(`${platform.url}/file/bot${bot.token}/${path}`)).text()).toBe('a');
  await expect(control.readFile({ fileId: 'none' })).rejects.toMatchObject({ reason: 'there is no file none' });
});
