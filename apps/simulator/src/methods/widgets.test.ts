import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestPlatform, type TestPlatform } from '../conformance/test-platform.ts';

let platform: TestPlatform;
let bot: { id: number; token: string };
let ann: number;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  bot = await platform.control.createBot({ username: `harbour${crypto.randomUUID().slice(0, 8)}_bot` });
  ann = (await platform.control.createPerson({ firstName: 'Ann' })).id;
  await platform.control.startBot({ person: ann, bot: bot.id, quietly: true });
});

type Sent = { message_id: number; widget: { html: string; id?: string } };
const ok = <T = Record<string, unknown>>(method: string, params: object = {}) => platform.ok<T>(bot, method, params);
const widget = (params: object = {}) =>
  ok<Sent>('sendWidget', { chat_id: ann, html: '<p>Berths</p>', allow_queries: true, ...params });
const tap = (messageId: number, fields: object = {}) =>
  platform.control.tapWidget({ person: ann, bot: bot.id, messageId, ...fields });
const TOO_OLD = 'Bad Request: query is too old and response timeout expired or query ID is invalid';

describe('a widget', () => {
  test('is sent with its data, and asks the bot, which answers once and within 15 s', async () => {
    const sent = await widget({ caption: 'Tonight', chat_data: 'a', height: 100 });
    expect(sent).toMatchObject({
      ...{ caption: 'Tonight', has_protected_content: true },
      widget: { html: '<p>Berths</p>', height: 100, chat_data: 'a' },
    });
    const { queryId } = await tap(sent.message_id, { data: 'berth:7' });
    expect(await platform.take(bot)).toEqual([
      [
        'widget_query',
        {
          ...{ id: queryId, from: expect.objectContaining({ id: ann }), chat: expect.objectContaining({ id: ann }) },
          ...{
            message_id: sent.message_id,
            chat_instance: expect.any(String),
            type: { type: 'data' },
            data: 'berth:7',
          },
        },
      ],
    ]);
    await ok('answerWidgetQuery', { widget_query_id: queryId, data: 'free' });
    expect(await platform.control.readQuery({ queryId })).toMatchObject({ answer: { data: 'free' } });
    expect(await platform.refused(bot, 'answerWidgetQuery', { widget_query_id: queryId })).toBe(TOO_OLD);
    const late = await tap(sent.message_id);
    await platform.control.advanceClock({ ms: 15_000 });
    expect(await platform.take(bot)).toEqual([]);
    expect(await platform.refused(bot, 'answerWidgetQuery', { widget_query_id: late.queryId })).toBe(TOO_OLD);
  });

  test('of one bot takes five taps of a person in 5 s, all together', async () => {
    const [one, other] = [await widget(), await widget()];
    for (const { message_id } of [one, other, one, other, one]) await tap(message_id);
    await expect(tap(other.message_id)).rejects.toThrow('5 times in 5 s');
    await platform.control.advanceClock({ ms: 5_000 });
    await tap(other.message_id);
    const silent = await widget({ allow_queries: false });
    await expect(tap(silent.message_id)).rejects.toThrow('did not allow');
    await expect(tap(one.message_id, { data: 'x'.repeat(65) })).rejects.toThrow('64 bytes');
    expect(await platform.refused(bot, 'sendWidget', { chat_id: ann })).toContain('non-empty');
  });

  test('that is shared is sent again, has one public data, and asks without a chat where it was forwarded', async () => {
    const first = await widget({ is_shared: true, public_data: '1', chat_data: 'a' });
    const { id } = first.widget;
    const second = await ok<Sent>('sendSharedWidget', { chat_id: ann, widget_id: id, chat_data: 'b' });
    expect(second.widget).toEqual({ html: '<p>Berths</p>', id, public_data: '1', chat_data: 'b' });
    await ok('editSharedWidgetData', { widget_id: id, public_data: '2' });
    const edited = await ok('editMessageWidgetData', { chat_id: ann, message_id: first.message_id, chat_data: 'c' });
    expect(edited.widget).toMatchObject({ public_data: '2', chat_data: 'c' });
    const { queryId } = await tap(second.message_id, { forwarded: true });
    expect(await platform.take(bot)).toMatchObject([['shared_widget_query', { id: queryId, widget_id: id }]]);
    await ok('answerWidgetQuery', { widget_query_id: queryId });
  });
});

describe('the settings of a bot', () => {
  test('are shown by getMe, which answers a BotFullInfo', async () => {
    expect(await ok('getMe')).toMatchObject({
      active_usernames: [expect.stringMatching(/_bot$/)],
      can_join_groups: true,
    });
    await ok('setMySettings', {
      ...{ can_join_groups: false, inline_query_placeholder: 'A berth', can_read_all_group_messages: false },
      ...{ has_topic_sidebar: true },
    });
    expect(await ok('getMe')).toMatchObject({
      ...{ can_join_groups: false, inline_query_placeholder: 'A berth', can_read_all_group_messages: false },
      ...{ supports_inline_queries: true, has_topic_sidebar: false },
    });
    await ok('setMySettings', { has_topics_enabled: true });
    expect(await ok('getMe')).toMatchObject({ has_topics_enabled: true, has_topic_sidebar: true });
    expect(await platform.refused(bot, 'setMySettings', { callback_query_mode: 'loud' })).toContain('mode');
  });

  test('make presses name an inline message, by which the bot can edit its own', async () => {
    const reply_markup = { inline_keyboard: [[{ text: 'a', callback_data: 'A' }]] };
    const { message_id: messageId } = await ok<Sent>('sendMessage', { chat_id: ann, text: 'Which?', reply_markup });
    const press = async () => {
      await platform.control.pressButton({ person: ann, bot: bot.id, messageId, data: 'A' });
      return (await platform.take(bot))[0]![1];
    };
    expect(await press()).toMatchObject({ message: { message_id: messageId } });
    await ok('setMySettings', { callback_query_mode: 'inline' });
    const pressed = await press();
    expect(pressed).toMatchObject({ data: 'A', inline_message_id: expect.any(String) });
    expect(pressed).not.toHaveProperty('message');
    const { inline_message_id } = pressed;
    expect((await press()).inline_message_id).toBe(inline_message_id);
    expect(await ok('editMessageText', { inline_message_id, text: 'Thanks', reply_markup })).toBe(true);
    const { messages } = await platform.control.readChat({ person: ann, bot: bot.id });
    expect(messages.find((message) => message.message_id === messageId)).toMatchObject({ text: 'Thanks' });
  });
});

test('an ephemeral message that answers a press needs neither a chat nor a receiver', async () => {
  const reply_markup = { inline_keyboard: [[{ text: 'a', callback_data: 'A' }]] };
  const { message_id: messageId } = await ok<Sent>('sendMessage', { chat_id: ann, text: 'Which?', reply_markup });
  const { queryId } = await platform.control.pressButton({ person: ann, bot: bot.id, messageId });
  const sent = await ok('sendMessage', { text: 'b', ephemeral_message_parameters: { callback_query_id: queryId } });
  expect(sent).toMatchObject({
    chat: { id: ann },
    receiver_user: { id: ann },
    ephemeral_message_id: expect.any(Number),
  });
  expect(await platform.refused(bot, 'sendMessage', { text: 'b' })).toBe('Bad Request: chat_id is empty');
});
