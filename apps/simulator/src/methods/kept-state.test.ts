import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';

let platform: TestPlatform;
let bot: { id: number; token: string; username: string };
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
  const forum = { type: 'supergroup' as const, forum: true, creator: ann, members: [ben], admins: [{ bot: bot.id }] };
  chat = (await control.createChat(forum)).id;
  await control.startBot({ person: ann, bot: bot.id, quietly: true });
});

const ok = <T = Record<string, unknown>>(method: string, params: object = {}) => platform.ok<T>(bot, method, params);
const here = (params: object = {}) => ({ chat_id: chat, ...params });

describe('a bot', () => {
  test('keeps its name and descriptions for each language, and its menu button for each chat', async () => {
    await ok('setMyName', { name: 'Harbour' });
    await ok('setMyName', { name: 'Hafen', language_code: 'de' });
    expect(await ok('getMyName', { language_code: 'de' })).toEqual({ name: 'Hafen' });
    expect(await ok('getMyName', { language_code: 'fr' })).toEqual({ name: 'Harbour' });
    await ok('setMyDescription', { description: 'Tides and berths' });
    expect(await ok('getMyDescription')).toEqual({ description: 'Tides and berths' });
    expect(await ok('getMyShortDescription')).toEqual({ short_description: '' });
    await ok('setChatMenuButton', { chat_id: ann, menu_button: { type: 'commands' } });
    expect(await ok('getChatMenuButton', { chat_id: ann })).toEqual({ type: 'commands' });
    expect(await ok('getChatMenuButton')).toEqual({ type: 'default' });
    await ok('setMyDefaultAdministratorRights', { rights: { can_pin_messages: true } });
    expect(await ok('getMyDefaultAdministratorRights')).toMatchObject({ can_pin_messages: true, is_anonymous: false });
  });

  test('has the profile photos that it set, newest first', async () => {
    const photo = async () => {
      const form = new FormData();
      form.set('photo', JSON.stringify({ type: 'static', photo: 'attach://file' }));
      form.set('file', new Blob(['bytes']), 'me.jpg');
      const url = `${platform.url}/bot${bot.token}/setMyProfilePhoto`;
      expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200);
    };
    await photo();
    await photo();
    const shown = () => ok<{ total_count: number; photos: object[] }>('getUserProfilePhotos', { user_id: bot.id });
    expect((await shown()).photos).toHaveLength(2);
    await ok('removeMyProfilePhoto');
    expect(await shown()).toMatchObject({ total_count: 1, photos: [[{ file_id: expect.any(String) }]] });
  });

  test('manages bots: their tokens and who may use them', async () => {
    const make = (given: { bot?: number; link?: string; name?: string }) =>
      platform.control.createManagedBot({ person: ann, ...given });
    await expect(make({ bot: bot.id })).rejects.toThrow('MANAGER_PERMISSION_MISSING');
    await ok('setMySettings', { can_manage_bots: true });
    const made = await make({ bot: bot.id, name: 'Helper' });
    expect(await platform.take(bot)).toMatchObject([['managed_bot', { user: { id: ann }, bot: { id: made.id } }]]);
    expect(await ok('getManagedBotToken', { user_id: made.id })).toBe(made.token);
    const token = await ok<string>('replaceManagedBotToken', { user_id: made.id });
    expect(token).not.toBe(made.token);
    await platform.ok({ id: made.id, token }, 'getMe');
    // Its manager is told of the new token, too.
    expect(await platform.take(bot)).toMatchObject([['managed_bot', { user: { id: ann }, bot: { id: made.id } }]]);
    const link = `https://t.me/newbot/${bot.username}/Second_Helper_bot?name=Second+Helper%21`;
    expect(await make({ link })).toMatchObject({ username: 'Second_Helper_bot', name: 'Second Helper!' });
    await expect(make({ link })).rejects.toThrow('USERNAME_OCCUPIED');
    await expect(make({ link: link.replace('_bot?', '_robo?') })).rejects.toThrow('USERNAME_INVALID');
    await ok('setManagedBotAccessSettings', { user_id: made.id, is_access_restricted: true, added_user_ids: [ben] });
    const settings = await ok('getManagedBotAccessSettings', { user_id: made.id });
    expect(settings).toMatchObject({ is_access_restricted: true, added_users: [{ id: ben }] });
    expect(await platform.refused(bot, 'getManagedBotToken', { user_id: bot.id })).toBe('Bad Request: BOT_NOT_MANAGED');
  });
});

describe('invite links', () => {
  test('admit people, or let them ask; requests are approved or declined once', async () => {
    const cyd = (await platform.control.createPerson({})).id;
    const open = await ok<{ invite_link: string }>('createChatInviteLink', here({ name: 'open', member_limit: 1 }));
    expect(await platform.control.joinByLink({ person: cyd, link: open.invite_link })).toEqual({ joined: true });
    await expect(platform.control.joinByLink({ person: ben, link: open.invite_link })).rejects.toThrow('no link');
    const asking = await ok<{ invite_link: string }>('createChatInviteLink', here({ creates_join_request: true }));
    await platform.control.setMember({ chat, person: ben, status: 'left' });
    await platform.take(bot);
    expect(await platform.control.joinByLink({ person: ben, link: asking.invite_link })).toEqual({ joined: false });
    expect(await platform.take(bot)).toMatchObject([
      ['chat_join_request', { from: { id: ben }, invite_link: { pending_join_request_count: 1 } }],
    ]);
    await ok('approveChatJoinRequest', here({ user_id: ben }));
    expect(await ok('getChatMember', here({ user_id: ben }))).toMatchObject({ status: 'member' });
    const again = await platform.refused(bot, 'declineChatJoinRequest', here({ user_id: ben }));
    expect(again).toBe('Bad Request: HIDE_REQUESTER_MISSING');
  });

  test('are edited, revoked and exported', async () => {
    const { invite_link } = await ok<{ invite_link: string }>('createChatInviteLink', here({ name: 'a' }));
    expect(await ok('editChatInviteLink', here({ invite_link, name: 'b' }))).toMatchObject({ name: 'b' });
    expect(await ok('revokeChatInviteLink', here({ invite_link }))).toMatchObject({ is_revoked: true });
    const exported = await ok<string>('exportChatInviteLink', here());
    expect(await ok('getChat', here())).toMatchObject({ invite_link: exported });
    const query = await platform.control.askToJoin({ person: (await platform.control.createPerson({})).id, chat });
    const answer = { chat_join_request_query_id: query.queryId, result: 'decline' };
    expect(await ok('answerChatJoinRequestQuery', answer)).toBe(true);
  });
});

describe('a private chat', () => {
  test('has topics if its bot has them, and no others', async () => {
    const { control } = platform;
    const withTopics = await control.createBot({ topics: true });
    expect(await platform.ok(withTopics, 'getMe')).toMatchObject({ has_topics_enabled: true });
    expect(await ok('getMe')).toMatchObject({ has_topics_enabled: false });
    const { topic } = await control.createTopic({ person: ann, bot: withTopics.id, name: 'My order' });
    const inTopic = { message_thread_id: topic, is_topic_message: true };
    await control.sendMessage({ person: ann, bot: withTopics.id, topic, text: 'where is it?' });
    const own = await platform.ok<{ message_thread_id: number }>(withTopics, 'createForumTopic', {
      ...{ chat_id: ann, name: 'Help' },
    });
    const there = { chat_id: ann, message_thread_id: own.message_thread_id };
    await platform.ok(withTopics, 'sendMessage', { ...there, text: 'here' });
    const { messages } = await control.readChat({ person: ann, bot: withTopics.id });
    expect(messages).toMatchObject([
      { ...inTopic, message_id: topic, forum_topic_created: { name: 'My order' } },
      { ...inTopic, text: 'where is it?' },
      { message_id: own.message_thread_id, forum_topic_created: { name: 'Help' } },
      { message_thread_id: own.message_thread_id, is_topic_message: true, text: 'here' },
    ]);
    await platform.ok(withTopics, 'editForumTopic', { ...there, name: 'Questions' });
    await platform.ok(withTopics, 'deleteForumTopic', there);
    expect(await platform.refused(withTopics, 'sendMessage', { ...there, text: 'x' })).toContain('thread not found');
    expect(await platform.refused(withTopics, 'closeForumTopic', { ...there, message_thread_id: topic })).toContain(
      'only for groups',
    );
    expect(await platform.refused(bot, 'createForumTopic', { chat_id: ann, name: 'x' })).toContain('not a forum');
    await expect(control.createTopic({ person: ann, bot: bot.id, name: 'x' })).rejects.toThrow('not a forum');
  });
});

describe('a forum', () => {
  test('has topics that are made, edited, closed, reopened and deleted, each with a message that says so', async () => {
    const topic = await ok<{ message_thread_id: number }>('createForumTopic', here({ name: 'Hull' }));
    const thread = here({ message_thread_id: topic.message_thread_id });
    await ok('editForumTopic', { ...thread, name: 'Hull, port side' });
    await ok('closeForumTopic', thread);
    const closed = platform.control.sendMessage({ person: ben, chat, topic: topic.message_thread_id, text: 'x' });
    await expect(closed).rejects.toThrow('closed');
    await ok('reopenForumTopic', thread);
    const said = await platform.control.sendMessage({ person: ben, chat, topic: topic.message_thread_id, text: 'y' });
    await ok('sendMessage', { ...thread, text: 'z' });
    const { messages } = await platform.control.readChat({ chat });
    const inTopic = { message_thread_id: topic.message_thread_id, is_topic_message: true };
    expect(messages).toMatchObject([
      { ...inTopic, message_id: topic.message_thread_id, forum_topic_created: { name: 'Hull' } },
      { ...inTopic, forum_topic_edited: { name: 'Hull, port side' } },
      { ...inTopic, forum_topic_closed: {} },
      { ...inTopic, forum_topic_reopened: {} },
      { ...inTopic, message_id: said.messageId, reply_to_message: { message_id: topic.message_thread_id } },
      { ...inTopic, text: 'z', chat: { is_forum: true } },
    ]);
    await ok('deleteForumTopic', thread);
    expect((await platform.control.readChat({ chat })).messages).toEqual([]);
    expect(await platform.refused(bot, 'sendMessage', { ...thread, text: 'z' })).toContain('thread not found');
  });

  test('takes answers, copies and forwards into a topic, also by the message that they answer', async () => {
    const { topic } = await platform.control.createTopic({ person: ann, chat, name: 'Hull' });
    const inTopic = { message_thread_id: topic, is_topic_message: true };
    const said = await platform.control.sendMessage({ person: ben, chat, topic, text: 'y' });
    expect(await ok('sendMessage', here({ text: 'a', reply_to_message_id: said.messageId }))).toMatchObject(inTopic);
    const from = here({ from_chat_id: chat, message_id: said.messageId });
    expect(await ok('forwardMessage', { ...from, message_thread_id: topic })).toMatchObject(inTopic);
    expect(await ok('forwardMessage', from)).not.toHaveProperty('message_thread_id');
    const copy = await ok<{ message_id: number }>('copyMessage', { ...from, message_thread_id: topic });
    const { messages } = await platform.control.readChat({ chat });
    expect(messages.find(({ message_id }) => message_id === copy.message_id)).toMatchObject({ ...inTopic, text: 'y' });
    const lost = platform.refused(bot, 'forwardMessage', { ...from, message_thread_id: 99_999 });
    expect(await lost).toContain('thread not found');
  });

  test('has the General topic, whose messages name no thread', async () => {
    await ok('editGeneralForumTopic', here({ name: 'Everything' }));
    await ok('closeGeneralForumTopic', here());
    await ok('reopenGeneralForumTopic', here());
    await ok('hideGeneralForumTopic', here());
    await ok('unhideGeneralForumTopic', here());
    await platform.control.createTopic({ person: ann, chat, name: 'Keel' });
    const { messages } = await platform.control.readChat({ chat });
    expect(messages.map((message) => Object.keys(message).at(-1))).toEqual([
      ...['forum_topic_edited', 'forum_topic_closed', 'forum_topic_reopened', 'general_forum_topic_hidden'],
      ...['general_forum_topic_unhidden', 'forum_topic_created'],
    ]);
    expect(messages.map(({ message_thread_id: thread }) => thread !== undefined)).toEqual([
      ...[false, false, false, false, false, true],
    ]);
  });
});

describe('payments', () => {
  const invoice = { title: 'Berth', description: 'one night', payload: 'b7', prices: [{ label: 'night', amount: 42 }] };

  test('go from the invoice over shipping and checkout to the message that tells of them', async () => {
    const sent = await ok<{ message_id: number }>('sendInvoice', {
      ...{ chat_id: ann, ...invoice, currency: 'EUR', provider_token: 'p', is_flexible: true },
    });
    const { queryId } = await platform.control.payInvoice({ person: ann, bot: bot.id, messageId: sent.message_id });
    await ok('answerShippingQuery', { shipping_query_id: queryId, ok: true, shipping_options: [] });
    const [shipping, checkout] = await platform.take(bot);
    expect(shipping).toMatchObject(['shipping_query', { from: { id: ann }, invoice_payload: 'b7' }]);
    expect(checkout).toMatchObject(['pre_checkout_query', { currency: 'EUR', total_amount: 42 }]);
    await ok('answerPreCheckoutQuery', { pre_checkout_query_id: checkout![1].id, ok: true });
    expect(await platform.take(bot)).toMatchObject([
      ['message', { successful_payment: { total_amount: 42, invoice_payload: 'b7' } }],
    ]);
  });

  test('in Telegram Stars count in the balance until they are given back', async () => {
    const link = await ok<string>('createInvoiceLink', { ...invoice, currency: 'XTR' });
    const { queryId } = await platform.control.payInvoice({ person: ann, bot: bot.id, link });
    await ok('answerPreCheckoutQuery', { pre_checkout_query_id: queryId, ok: true });
    const paid = (await platform.take(bot)).at(-1)![1].successful_payment as { telegram_payment_charge_id: string };
    expect(await ok('getMyStarBalance')).toEqual({ amount: 42 });
    const charge = { user_id: ann, telegram_payment_charge_id: paid.telegram_payment_charge_id };
    await ok('refundStarPayment', charge);
    expect(await ok('getMyStarBalance')).toEqual({ amount: 0 });
    expect(await ok('getStarTransactions')).toMatchObject({ transactions: [{ source: {} }, { receiver: {} }] });
    expect(await platform.refused(bot, 'refundStarPayment', charge)).toContain('CHARGE_ALREADY_REFUNDED');
  });

  test('a refused checkout pays nothing', async () => {
    const link = await ok<string>('createInvoiceLink', { ...invoice, currency: 'XTR' });
    const { queryId } = await platform.control.payInvoice({ person: ann, bot: bot.id, link });
    await ok('answerPreCheckoutQuery', { pre_checkout_query_id: queryId, ok: false, error_message: 'sold out' });
    expect(await ok('getMyStarBalance')).toEqual({ amount: 0 });
  });
});

describe('a business connection', () => {
  test('lets the bot answer, edit and delete for the account, in a chat of its own', async () => {
    const { connectionId } = await platform.control.connectBusiness({ person: ann, bot: bot.id });
    const account = { person: ben, bot: bot.id, connectionId };
    await platform.control.writeToBusiness({ ...account, text: 'open?' });
    expect(await platform.take(bot)).toMatchObject([
      ['business_connection', { id: connectionId, user: { id: ann }, is_enabled: true }],
      ['business_message', { business_connection_id: connectionId, from: { id: ben }, text: 'open?' }],
    ]);
    const there = { business_connection_id: connectionId, chat_id: ben };
    const sent = await ok<{ message_id: number }>('sendMessage', { ...there, text: 'yes' });
    expect(sent).toMatchObject({ from: { id: ann }, sender_business_bot: { id: bot.id }, chat: { id: ben } });
    await ok('editMessageText', { ...there, message_id: sent.message_id, text: 'yes, until six' });
    expect((await platform.control.readBusinessChat(account)).messages).toMatchObject([
      { text: 'open?' },
      { text: 'yes, until six' },
    ]);
    await ok('readBusinessMessage', { ...there, message_id: sent.message_id });
    await ok('deleteBusinessMessages', { business_connection_id: connectionId, message_ids: [sent.message_id] });
    expect((await platform.control.readBusinessChat(account)).messages).toHaveLength(1);
    expect(await ok('getBusinessConnection', { business_connection_id: connectionId })).toMatchObject({
      user: { id: ann },
    });
  });
});

describe('messages', () => {
  test('rich ones have blocks; a draft is shown', async () => {
    const sent = await ok('sendRichMessage', { chat_id: ann, rich_message: { html: '<b>High</b> water\n\n06:40' } });
    expect(sent.rich_message).toMatchObject({ blocks: [{ text: 'High water' }, { text: '06:40' }] });
    const edit = { chat_id: ann, message_id: sent.message_id };
    const plain = await ok('editMessageText', { ...edit, text: 'Low water' });
    expect([plain.text, plain.rich_message]).toEqual(['Low water', undefined]);
    const rich = await ok('editMessageText', { ...edit, rich_message: { markdown: 'Low water\n\n12:50' } });
    expect([rich.text, rich.rich_message]).toMatchObject([undefined, { blocks: [{ text: 'Low water' }, {}] }]);
    await ok('sendMessageDraft', { chat_id: ann, draft_id: 5, text: 'High wa' });
    expect((await platform.control.readChat({ person: ann, bot: bot.id })).drafts).toEqual({
      5: { text: 'High wa', entities: [] },
    });
  });

  test('ephemeral ones have ids of their own, and only their receiver sees them', async () => {
    const ephemeral_message_parameters = { receiver_user_id: ben };
    const sent = await ok('sendMessage', here({ text: 'psst', ephemeral_message_parameters }));
    expect(sent).toMatchObject({ message_id: 0, receiver_user: { id: ben }, ephemeral_message_id: expect.any(Number) });
    expect((await platform.control.readChat({ chat })).messages).toEqual([]);
  });

  test('lose the reactions that a chat-admin takes away', async () => {
    const { messageId } = await platform.control.sendMessage({ person: ann, chat, text: 'hi' });
    await ok('getUpdates', { allowed_updates: ['message_reaction'] });
    await platform.control.react({ person: ben, chat, messageId, emoji: ['👍'] });
    await ok('deleteMessageReaction', here({ message_id: messageId, user_id: ben }));
    await platform.control.react({ person: ben, chat, messageId, emoji: ['🔥'] });
    expect((await platform.take(bot)).at(-1)).toMatchObject(['message_reaction', { old_reaction: [] }]);
  });

  test('a chat has the photo that was set, until it is deleted', async () => {
    const form = new FormData();
    form.set('chat_id', String(chat));
    form.set('photo', new Blob(['bytes']), 'chat.jpg');
    const url = `${platform.url}/bot${bot.token}/setChatPhoto`;
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200);
    expect(await ok('getChat', here())).toMatchObject({ photo: { big_file_id: expect.any(String) } });
    await ok('deleteChatPhoto', here());
    expect(await ok('getChat', here())).not.toHaveProperty('photo');
  });
});
