import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
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
  bot = await control.createBot({});
  ann = (await control.createPerson({ firstName: 'Ann' })).id;
  ben = (await control.createPerson({ firstName: 'Ben' })).id;
  chat = (await control.createChat({ type: 'supergroup', creator: ann, members: [ben], admins: [{ bot: bot.id }] })).id;
});

const here = (params: object = {}) => ({ chat_id: chat, ...params });
const member = () => platform.ok(bot, 'getChatMember', here({ user_id: ben }));

test('ban, unban, restrict, promote and title change what getChatMember shows', async () => {
  await platform.ok(bot, 'banChatMember', here({ user_id: ben }));
  expect(await member()).toMatchObject({ status: 'kicked' });
  await platform.ok(bot, 'unbanChatMember', here({ user_id: ben }));
  expect(await member()).toMatchObject({ status: 'left' });
  await platform.control.setMember({ chat, person: ben, status: 'member' });
  await platform.ok(bot, 'restrictChatMember', here({ user_id: ben, permissions: { can_send_messages: true } }));
  expect(await member()).toMatchObject({ status: 'restricted', can_send_messages: true, can_send_photos: false });
  await platform.ok(bot, 'promoteChatMember', here({ user_id: ben, can_pin_messages: true }));
  await platform.ok(bot, 'setChatAdministratorCustomTitle', here({ user_id: ben, custom_title: 'Chief' }));
  expect(await member()).toMatchObject({
    status: 'administrator',
    can_be_edited: true,
    can_pin_messages: true,
    can_restrict_members: false,
    custom_title: 'Chief',
  });
  const admins = await platform.ok<object[]>(bot, 'getChatAdministrators', here());
  expect(admins.map((one) => (one as { status: string }).status).sort()).toEqual([
    'administrator',
    'administrator',
    'creator',
  ]);
  expect(await platform.ok(bot, 'getChatMemberCount', here())).toBe(3);
});

test('membership changes are told to chat-admin bots that ask, and to the bot itself', async () => {
  await platform.ok(bot, 'getUpdates', { allowed_updates: ['chat_member', 'my_chat_member'] });
  await platform.control.setMember({ chat, person: ben, status: 'left' });
  await platform.control.setMember({ chat, bot: bot.id, status: 'member', by: ann });
  await platform.control.setMember({ chat, person: ben, status: 'member' });
  expect(await platform.take(bot)).toMatchObject([
    ['chat_member', { old_chat_member: { status: 'member' }, new_chat_member: { status: 'left', user: { id: ben } } }],
    ['my_chat_member', { new_chat_member: { status: 'member', user: { id: bot.id } }, from: { id: ann } }],
  ]);
});

test('title, description and pins are kept and announced', async () => {
  const { messageId } = await platform.control.sendMessage({ person: ann, chat, text: 'pin me' });
  await platform.ok(bot, 'setChatTitle', here({ title: 'New title' }));
  await platform.ok(bot, 'setChatDescription', here({ description: 'About' }));
  await platform.ok(bot, 'pinChatMessage', here({ message_id: messageId }));
  expect(await platform.ok(bot, 'getChat', here())).toMatchObject({
    title: 'New title',
    description: 'About',
    pinned_message: { text: 'pin me' },
  });
  await platform.ok(bot, 'unpinChatMessage', here());
  await platform.ok(bot, 'unpinAllChatMessages', here());
  expect((await platform.control.readChat({ chat })).pinned).toEqual([]);
});

test("a bot without rights is refused in the platform's words", async () => {
  await platform.control.setMember({ chat, bot: bot.id, status: 'member', by: ann });
  const { messageId } = await platform.control.sendMessage({ person: ann, chat, text: 'x' });
  const refused = (method: string, params: object) => platform.refused(bot, method, here(params));
  const restricting = 'Bad Request: not enough rights to restrict/unrestrict chat member';
  expect(await refused('banChatMember', { user_id: ben })).toBe(restricting);
  expect(await refused('restrictChatMember', { user_id: ben, permissions: {} })).toBe(restricting);
  expect(await refused('promoteChatMember', { user_id: ben })).toBe('Bad Request: not enough rights');
  expect(await refused('setChatTitle', { title: 'x' })).toBe('Bad Request: not enough rights to change chat title');
  expect(await refused('pinChatMessage', { message_id: messageId })).toBe(
    'Bad Request: not enough rights to manage pinned messages in the chat',
  );
});

test('owners, other chat-admins and strangers are protected from the bot', async () => {
  expect(await platform.refused(bot, 'banChatMember', here({ user_id: ann }))).toBe(
    "Bad Request: can't remove chat owner",
  );
  await platform.control.setMember({ chat, person: ben, status: 'administrator', by: ann });
  expect(await platform.refused(bot, 'banChatMember', here({ user_id: ben }))).toBe(
    'Bad Request: user is an administrator of the chat',
  );
  expect(await platform.refused(bot, 'getChatMember', here({ user_id: 4 }))).toBe('Bad Request: member not found');
});

test('chats a bot may not write to are refused with the reason', async () => {
  const text = { text: 'x' };
  await platform.control.startBot({ person: ben, bot: bot.id, quietly: true });
  await platform.control.blockBot({ person: ben, bot: bot.id, blocked: true });
  expect(await platform.refused(bot, 'sendMessage', { chat_id: ben, ...text })).toBe(
    'Forbidden: bot was blocked by the user',
  );
  await platform.ok(bot, 'leaveChat', here());
  expect(await platform.refused(bot, 'sendMessage', here(text))).toBe(
    'Forbidden: bot is not a member of the supergroup chat',
  );
  await platform.control.setMember({ chat, bot: bot.id, status: 'kicked', by: ann });
  expect(await platform.refused(bot, 'sendMessage', here(text))).toBe(
    'Forbidden: bot was kicked from the supergroup chat',
  );
  await platform.control.setMember({ chat, bot: bot.id, status: 'restricted', by: ann, permissions: {} });
  expect(await platform.refused(bot, 'sendMessage', here(text))).toBe(
    'Bad Request: not enough rights to send text messages to the chat',
  );
});

test('an upgraded group names its supergroup', async () => {
  const group = (await platform.control.createChat({ type: 'group', creator: ann, members: [bot.id] })).id;
  const { id } = await platform.control.migrateGroup({ chat: group, person: ann });
  const response = await fetch(`${platform.url}/bot${bot.token}/sendMessage?chat_id=${group}&text=x`);
  expect(await response.json()).toEqual({
    ok: false,
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: id },
  });
});

test('commands are kept by scope and language', async () => {
  const commands = [{ command: 'go', description: 'Goes' }];
  await platform.ok(bot, 'setMyCommands', { commands, language_code: 'de' });
  expect(await platform.ok(bot, 'getMyCommands', { language_code: 'de' })).toEqual(commands);
  expect(await platform.ok(bot, 'getMyCommands')).toEqual([]);
  await platform.ok(bot, 'deleteMyCommands', { language_code: 'de' });
  expect(await platform.ok(bot, 'getMyCommands', { language_code: 'de' })).toEqual([]);
});

test('close and logOut leave as the platform does', async () => {
  await platform.control.sendMessage({ person: ann, chat, text: 'kept' });
  await platform.ok(bot, 'close');
  expect(await platform.refused(bot, 'getMe')).toBe('Internal Server Error: restart');
  await platform.control.advanceClock({ ms: 1_500 });
  expect(await platform.refused(bot, 'close')).toBe('Bad Request: the bot has already been closed');
  expect((await platform.take(bot)).length).toBe(1);
  await platform.ok(bot, 'logOut');
  expect(await platform.refused(bot, 'getMe')).toBe('Logged out');
});
