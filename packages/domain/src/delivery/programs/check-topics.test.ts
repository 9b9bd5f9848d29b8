import { methodFacts } from '@flotilla/contract/bot-api/methods.ts';
import { documentedChats, documentedMethods } from '@flotilla/testing/documented-methods.ts';
import { describe, expect, test } from '@jest/globals';
import { checkTopics } from './check-topics.ts';

const CHAT = '-1001';
const HULL = 120;
const METHODS = documentedMethods();
/** They reach a topic by more than what they name, or show messages of any. */
const OF_THE_WHOLE_CHAT = ['getChat', 'unpinAllChatMessages', 'deleteAllMessageReactions', 'createForumTopic'];

const check = (topics: number[], method: string, parameters: Record<string, string | string[]>) => {
  const seen = Object.entries({ chat_id: CHAT, ...parameters }).map(([name, value]) => [name, [value].flat()] as const);
  return checkTopics(new Set(topics), method.toLowerCase(), new Map(seen));
};
const why = (...call: Parameters<typeof check>) => {
  const checked = check(...call);
  return checked.outcome === 'refused' ? checked.why : null;
};
const messages = (...call: Parameters<typeof check>) => {
  const checked = check(...call);
  return checked.outcome === 'allowed' ? checked.messages.map(({ chat_id: chatId, id }) => [chatId, id]) : checked.why;
};

describe('of the methods that the platform documents', () => {
  const inChats = METHODS.filter((method) => documentedChats(method) !== null);
  const taking = (parameter: string) => inChats.filter(({ parameters }) => parameters.includes(parameter));
  const ofTopic = (name: string) => /^(edit|close|reopen|delete|unpinAll)ForumTopic/.test(name);

  test('those that send name their topic, and are refused without it or in another one', () => {
    const senders = taking('message_thread_id').filter(({ name }) => !ofTopic(name));
    expect(senders.length).toBeGreaterThan(25);
    for (const { name } of senders) {
      const from = { from_chat_id: CHAT };
      expect({ name, rule: methodFacts(name.toLowerCase())?.topic }).toEqual({ name, rule: 'sends' });
      expect({ name, why: why([HULL], name, { ...from, message_thread_id: '120' }) }).toEqual({ name, why: null });
      expect(why([HULL], name, { ...from, message_thread_id: '121' })).toMatch(/not one of its topics/);
      for (const none of [{}, { message_thread_id: '' }, { message_thread_id: '0' }]) {
        expect(why([HULL], name, { ...from, ...none })).toMatch(/must name one of its topics/);
        expect(why([0], name, { ...from, ...none })).toBeNull();
        expect(why([1], name, { ...from, ...none })).toBeNull();
      }
    }
  });

  test('those about one topic are allowed for that topic only', () => {
    const found = inChats.filter(({ name }) => ofTopic(name));
    expect(found).toHaveLength(5);
    for (const { name } of found) {
      expect(why([HULL, 0], name, { message_thread_id: '120' })).toBeNull();
      expect(why([HULL, 0], name, { message_thread_id: '121' })).toMatch(/not one of its topics/);
      expect(why([HULL, 0], name, {})).toMatch(/must name one of its topics/);
    }
  });

  test('those about General need it by name', () => {
    const found = inChats.filter(({ name }) => name.includes('General'));
    expect(found).toHaveLength(6);
    for (const { name } of found) {
      expect(why([1], name, {})).toBeNull();
      expect(why([HULL, 0], name, {})).toMatch(/General is not/);
    }
  });

  test('those about a message are allowed once the history tells its topic', () => {
    const ofMessages = [...taking('message_id'), ...taking('message_ids')].filter(
      ({ parameters, name }) => !parameters.includes('message_thread_id') && !/SuggestedPost/.test(name),
    );
    expect(ofMessages.length).toBeGreaterThan(10);
    for (const { name, parameters } of ofMessages) {
      const named = parameters.includes('message_id') ? { message_id: '7' } : { message_ids: '[7]' };
      expect({ name, messages: messages([HULL], name, named) }).toEqual({ name, messages: [[-1001, 7]] });
      expect(why([HULL], name, {})).toMatch(/message_id is missing/);
    }
  });

  test('all others act in a whole chat or tell no topic, and are refused, but for questions about people', () => {
    const people = inChats
      .filter(({ name }) => methodFacts(name.toLowerCase())?.topic === 'people')
      .map(({ name }) => name);
    expect(people.sort()).toEqual([
      'getChatAdministrators',
      'getChatMember',
      'getChatMemberCount',
      'getUserChatBoosts',
    ]);
    const others = METHODS.filter(({ name }) => methodFacts(name.toLowerCase())?.topic === undefined);
    expect(others.map(({ name }) => name)).toEqual(expect.arrayContaining(OF_THE_WHOLE_CHAT));
    const all = { message_thread_id: '120', message_id: '7' };
    for (const { name } of others) expect(why([HULL], name, all)).toMatch(/does not tell a topic/);
    expect(why([HULL], 'sendSomethingNew', all)).toMatch(/does not tell a topic/);
  });
});

describe('the messages of a call', () => {
  const inHull = { message_thread_id: '120' };

  test('are those that it answers, forwards, copies or changes', () => {
    const reply = '{"message_id":5,"quote":"a"}';
    expect(messages([HULL], 'sendMessage', { ...inHull, reply_parameters: reply })).toEqual([[-1001, 5]]);
    expect(messages([HULL], 'sendMessage', { ...inHull, reply_to_message_id: '6' })).toEqual([[-1001, 6]]);
    expect(messages([HULL], 'sendMessage', { ...inHull, reply_to_message_id: '', reply_parameters: '' })).toEqual([]);
    expect(messages([HULL], 'sendMessage', { ...inHull, reply_parameters: `{"message_id":5,"chat_id":-41}` })).toEqual([
      [-41, 5],
    ]);
    const from = { ...inHull, from_chat_id: '-41' };
    expect(messages([HULL], 'copyMessage', { ...from, message_id: '7', reply_to_message_id: '8' })).toEqual([
      [-41, 7],
      [-1001, 8],
    ]);
    expect(messages([HULL], 'forwardMessages', { ...from, message_ids: '[7, "8"]' })).toEqual([
      [-41, 7],
      [-41, 8],
    ]);
    expect(messages([HULL], 'editMessageText', { message_id: ['1', '2'] })).toEqual([
      [-1001, 1],
      [-1001, 2],
    ]);
  });

  test('cannot be hidden by an odd spelling', () => {
    for (const id of ['', '0', '-7', '7.0', '7e0', ' 7', '7x', '4294967303', '9007199254740993']) {
      expect({ id, why: why([HULL], 'editMessageText', { message_id: id }) }).toEqual({
        ...{ id, why: 'the ids of its messages cannot be read' },
      });
    }
    for (const ids of ['', '7', '[]', '[7', '["x"]', '[7.5]', '{"a":7}', '[[7,8]]']) {
      expect({ ids, why: why([HULL], 'deleteMessages', { message_ids: ids }) }).toEqual({
        ...{ ids, why: 'the ids of its messages cannot be read' },
      });
    }
    const replies = [
      'x',
      '[]',
      '{}',
      '{"message_id":0}',
      '{"ephemeral_message_id":5,"message_id":5}',
      '{"message_id":1e3}',
    ];
    for (const reply of replies.filter((one) => one !== '{"message_id":1e3}')) {
      expect({ reply, why: why([HULL], 'sendMessage', { ...inHull, reply_parameters: reply }) }).toEqual({
        ...{ reply, why: 'the ids of its messages cannot be read' },
      });
    }
    const quoted = '{"message_id":5,"quote_entities":[{"message_id":6,"chat_id":-9}]}';
    expect(messages([HULL], 'sendMessage', { ...inHull, reply_parameters: quoted })).toEqual([[-1001, 5]]);
  });

  test('of a private chat know no General: its topic 1 is one like others', () => {
    const inPrivate = { chat_id: '7' };
    expect(why([1], 'sendMessage', { ...inPrivate, message_thread_id: '1' })).toBeNull();
    expect(why([1], 'sendMessage', inPrivate)).toMatch(/must name/);
    expect(why([0], 'sendMessage', inPrivate)).toBeNull();
    expect(why([0], 'sendMessage', { ...inPrivate, message_thread_id: '1' })).toMatch(/not one of its topics/);
  });

  test('and its topic are judged by each value of a name, and a channel has no topics', () => {
    expect(why([HULL], 'sendMessage', { message_thread_id: ['120', '121'] })).toMatch(/not one of its topics/);
    expect(why([HULL], 'sendMessage', { message_thread_id: ['', '120'] })).toMatch(/must name/);
    for (const odd of ['120.0', ' 120', '120x', '0120', '-120', '4294967416']) {
      expect(why([HULL], 'sendMessage', { message_thread_id: odd })).toMatch(/not one of its topics/);
    }
    expect(why([HULL, 0], 'sendMessage', { ...inHull, direct_messages_topic_id: '5' })).toMatch(/leads out/);
  });
});
