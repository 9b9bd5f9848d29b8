import { UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { aBot } from '@flotilla/testing/a-bot.ts';
import { loadUpdateSamples } from '@flotilla/testing/update-samples/load-update-samples.ts';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { filterConfigOf } from '../../fleet/bots/filter-config.ts';
import { filterFacts } from './filter-facts.ts';
import { createMatcher } from './update-matcher.ts';

const { UPDATE_CORPUS } = readSettings(z.object({ UPDATE_CORPUS: z.string().optional() }));
const samples = await loadUpdateSamples(UPDATE_CORPUS);

type Wanted = { filter?: ProgramFilter; exclusive?: boolean; kinds?: string[]; order?: number };

/** The matcher of a bot with these programs, whose ids are 1, 2 … */
function matcherFor(...programs: Wanted[]) {
  const backend = {
    backend_url: '',
    secret_token: '',
    backend_certificate: '',
    backend_ip_address: '',
    signing: null,
    max_connections: 40,
    silent_after_s: 300,
  };
  const rest = {
    ...backend,
    webhook_token_id: null,
    webhook_kinds: null,
    backend_role: 'admin' as const,
    tokens: [],
    enabled: true,
    mode: 'pull' as const,
  };
  const all = programs.map(({ filter = {}, exclusive = false, kinds = [], order = 100 }, at) => {
    return {
      ...rest,
      id: at + 1,
      name: `p${at}`,
      filter,
      exclusive,
      kinds,
      order,
      sees_held: false,
      chats_revision: 0,
      priority: 'normal' as const,
    };
  });
  const config = filterConfigOf(aBot({ username: 'Harbour_bot', programs: all }));
  const matcher = createMatcher(config);
  return async (...updates: Fields[]) => {
    const sliced = updates.map((value) => ({
      kind: Object.keys(value).find((key) => key !== 'update_id') ?? '',
      value,
    }));
    return matcher.marks(sliced, null);
  };
}

const selects = async (filter: ProgramFilter, update: Fields) =>
  (await matcherFor({ filter, exclusive: true, kinds: [...UPDATE_KINDS] })(update))[0]?.split(' ')[0] === '=1';

const message = (fields: object): Fields => ({
  message: { message_id: 1, chat: { id: 5, type: 'private' }, from: { id: 7 }, ...fields },
});

describe('a filter', () => {
  test.each([
    ['/start', true],
    ['/START now', true],
    ['/start@harbour_BOT', true],
    ['/start@other_bot', false],
    ['/started', false],
    ['please /start', false],
    ['/help\nme', true],
    ['', false],
  ])('of the commands /start and help, with the text "%s": %s', async (text, expected) => {
    expect(await selects({ commands: ['start', 'help'] }, message({ text }))).toBe(expected);
    expect(await selects({ commands: ['start', 'help'] }, message({ caption: text }))).toBe(expected);
  });

  test('of several conditions needs them all, and one entry of each list', async () => {
    const filter: ProgramFilter = { chat_ids: [5, 6], user_ids: [7], keyword: 'ebb', text: '\\d' };
    expect(await selects(filter, message({ text: 'EBB at 9' }))).toBe(true);
    expect(await selects(filter, message({ text: 'ebb at nine' }))).toBe(false);
    expect(await selects(filter, message({ text: 'ebb 9', from: { id: 8 } }))).toBe(false);
    expect(await selects({ ...filter, chat_types: ['group'] }, message({ text: 'ebb 9' }))).toBe(false);
  });

  test('of users looks at the chat in whose name something was done, and at no stand-in of the platform', async () => {
    const chat = { id: -5, type: 'supergroup' };
    const anonymous = { id: 1_087_968_824, is_bot: true };
    const [standIns, chats]: ProgramFilter[] = [{ user_ids: [anonymous.id, 136_817_688] }, { user_ids: [-5, -9] }];
    const updates = [
      message({ chat, from: anonymous, sender_chat: chat }),
      message({ chat, from: { id: 136_817_688 }, sender_chat: { id: -9 } }),
      { chat_member: { chat, from: anonymous } },
      { poll_answer: { user: { id: 136_817_688 }, voter_chat: { id: -9 } } },
      { message_reaction: { chat, actor_chat: chat } },
    ];
    for (const update of updates) {
      expect(await selects(standIns!, update)).toBe(false);
      expect(await selects(chats!, update)).toBe(true);
    }
  });

  test('finds chat, topic and person of a kind that nobody knows', async () => {
    const filter: ProgramFilter = { chat_ids: [-5], user_ids: [7] };
    const [chat, from] = [{ id: -5, type: 'supergroup' }, { id: 7 }];
    const selected = async (payload: object, wanted = filter) => {
      const mark = await matcherFor({ filter: wanted, exclusive: true })({ hologram: payload });
      return mark[0]?.split(' ')[0] === '=1';
    };
    const bot = { id: 99, is_bot: true };
    for (const payload of [
      { chat, from },
      { chat, user: from },
      { message: { chat, from } },
      { from, message: { chat } },
    ])
      expect([payload, await selected(payload)]).toEqual([payload, true]);
    for (const payload of [
      { chat },
      { from },
      { chat, from: bot, message: { chat, from } },
      { chat: 5, message: 'no' },
    ])
      expect([payload, await selected(payload)]).toEqual([payload, false]);
    const inTopic = { chat_ids: [-5], thread_ids: [120] };
    expect(await selected({ chat, message_thread_id: 120 }, inTopic)).toBe(true);
    expect(await selected({ message: { chat, message_thread_id: 120, is_topic_message: true } }, inTopic)).toBe(true);
    expect(await selected({ chat }, inTopic)).toBe(false);
  });

  test('of topics looks at the topic of a message, not at a thread of answers', async () => {
    const inTopic = { message_thread_id: 120, is_topic_message: true };
    const forum = { chat: { id: -5, type: 'supergroup', is_forum: true } };
    const topics = (...thread_ids: number[]) => ({ chat_ids: [-5, 5], thread_ids });
    const callback = (of: object): Fields => ({ callback_query: { id: '1', from: { id: 7 }, message: of } });
    const cases: [Fields, number[], boolean][] = [
      [message({ ...forum, ...inTopic }), [120, 9], true],
      [message({ ...forum, ...inTopic }), [121, 0, 1], false],
      [message(inTopic), [120], true],
      [message(forum), [1], true],
      [message(forum), [0], true],
      [message({ ...forum, message_thread_id: 120 }), [120], false],
      [message({ ...forum, message_thread_id: 120 }), [0], true],
      [message({}), [0], true],
      // The first message of a bot may have made a topic of a private chat.
      [message({ message_thread_id: 1, is_topic_message: true }), [1], true],
      [message({ message_thread_id: 1, is_topic_message: true }), [0], false],
      [message({}), [1], false],
      [message({ message_thread_id: 2 ** 60, is_topic_message: true }), [0], true],
      [message({ message_thread_id: '120', is_topic_message: true }), [120], false],
      [callback({ message_id: 3, date: 1, ...forum, ...inTopic }), [120], true],
      [callback({ message_id: 3, date: 1, ...forum }), [1], true],
      // Too old: the platform does not tell its topic.
      [callback({ message_id: 3, date: 0, ...forum }), [0, 1], false],
      [{ callback_query: { id: '1', from: { id: 7 }, inline_message_id: 'x' } }, [0], false],
      [{ message_reaction: { ...forum, message_id: 3, user: { id: 7 } } }, [0, 1, 120], false],
      [{ poll_answer: { poll_id: '1', user: { id: 7 } } }, [0], false],
      [{ chat_member: { ...forum, from: { id: 7 } } }, [0, 1], false],
      [{ stopped_message_generation: { chat: { id: 5 }, message_thread_id: 120 } }, [120], true],
      [{ stopped_message_generation: { chat: { id: 5 } } }, [0], true],
    ];
    for (const [update, threads, expected] of cases) {
      expect({ update, threads, selects: await selects(topics(...threads), update) }).toEqual({
        ...{ update, threads, selects: expected },
      });
    }
  });

  test('looks at the first 4,096 characters of a text', async () => {
    expect(await selects({ keyword: 'tide' }, message({ text: `${' '.repeat(4092)}tide` }))).toBe(true);
    expect(await selects({ keyword: 'tide' }, message({ text: `${' '.repeat(4096)}tide` }))).toBe(false);
  });

  test('reads no words in blocks that are nested too deeply, and goes on', async () => {
    let block: Fields = { text: 'tide' };
    for (let depth = 0; depth < 100_000; depth += 1) block = { blocks: [block] };
    expect(await selects({ keyword: 'tide' }, message({ rich_message: { blocks: [block] } }))).toBe(false);
    expect(await selects({ chat_ids: [5] }, message({ rich_message: { blocks: [block] } }))).toBe(true);
  });
});

/** The facts of each kind for conditions. A condition about the rest does not hold. */
const HAS: Record<string, string> = {
  message: 'chat topic user text',
  edited_message: 'chat topic user text',
  channel_post: 'chat topic user text',
  edited_channel_post: 'chat topic user text',
  guest_message: 'chat topic user text',
  business_message: 'chat topic user text',
  edited_business_message: 'chat topic user text',
  callback_query: 'chat topic user text',
  inline_query: 'user text',
  chosen_inline_result: 'user text',
  my_chat_member: 'chat user',
  chat_member: 'chat user',
  chat_join_request: 'chat user',
  message_reaction: 'chat user',
  chat_boost: 'chat user',
  removed_chat_boost: 'chat user',
  message_reaction_count: 'chat',
  deleted_business_messages: 'chat',
  shipping_query: 'user',
  pre_checkout_query: 'user',
  purchased_paid_media: 'user',
  poll_answer: 'user',
  business_connection: 'user',
  managed_bot: 'user',
  subscription: 'user',
  stopped_message_generation: 'chat topic',
  widget_query: 'chat user text',
  shared_widget_query: 'user text',
  poll: '',
};

describe('of the samples of', () => {
  test('every kind there is a rule', () => {
    expect(Object.keys(HAS).toSorted()).toEqual([...UPDATE_KINDS].toSorted());
  });

  test.each(Object.entries(HAS))('%s, conditions see no more than: %s', async (kind, has) => {
    const ofKind = samples.filter((sample) => sample.kind === kind);
    expect(ofKind.length).toBeGreaterThan(0);
    const seen = new Set<string>();
    for (const { text } of ofKind) {
      const update = JSON.parse(text) as Fields;
      const facts = filterFacts(update, kind);
      if (facts.chatId !== null) seen.add('chat');
      if (facts.topic !== null) seen.add('topic');
      if (facts.userIds.length > 0) seen.add('user');
      if (facts.text !== null) seen.add('text');
      const chat = facts.chatId === null ? [0] : [facts.chatId];
      expect(await selects({ chat_ids: chat }, update)).toBe(facts.chatId !== null);
      expect(await selects({ thread_ids: [facts.topic ?? 0] }, update)).toBe(facts.topic !== null);
      const types = ['private', 'group', 'supergroup', 'channel'] as const;
      expect(await selects({ chat_types: [...types] }, update)).toBe(facts.chatId !== null);
      expect(await selects({ user_ids: [facts.userIds.at(-1) ?? 0] }, update)).toBe(facts.userIds.length > 0);
      expect(await selects({ text: '' }, update)).toBe(facts.text !== null);
      expect(await selects({}, update)).toBe(true);
    }
    expect([...seen].toSorted()).toEqual(has.split(' ').filter(Boolean).toSorted());
  });

  test('kinds that the platform does not have yet, what they name as chat and user counts', async () => {
    const update = { new_kind: { chat: { id: 5, type: 'group' }, user: { id: 7 }, text: 'tide' } };
    const matcher = matcherFor({ exclusive: true, filter: { chat_ids: [5], chat_types: ['group'], user_ids: [7] } });
    expect(await matcher(update)).toEqual(['=1']);
    expect(await matcherFor({ exclusive: true, filter: { keyword: 'tide' } })(update)).toEqual([',1,']);
  });
});

describe('an update', () => {
  test('is taken by the exclusive program of the lowest order, of equal ones the oldest', async () => {
    const tide = { exclusive: true, filter: { keyword: 'tide' } };
    expect(await matcherFor({ exclusive: true, order: 9 }, { ...tide, order: 8 })(message({ text: 'tide' }))).toEqual([
      '=2',
    ]);
    expect(await matcherFor({ exclusive: true }, tide)(message({ text: 'tide' }))).toEqual(['=1']);
  });

  test('that is not taken is marked for those that do not want it', async () => {
    const matcher = matcherFor({ filter: { chat_ids: [6] } }, {}, { exclusive: true, filter: { chat_ids: [8] } });
    expect(await matcher(message({}))).toEqual([',3,1,']);
    expect(await matcher({ message: { chat: { id: 6 } } })).toEqual([',3,']);
  });

  test('is taken only by a program that wants its kind', async () => {
    expect(await matcherFor({ exclusive: true, kinds: ['poll'] })(message({}), { poll: { id: '1' } })).toEqual([
      ',1,',
      '=1',
    ]);
    expect(await matcherFor({ exclusive: true })({ chat_member: { chat: { id: 5 } } })).toEqual([',1,']);
  });

  test('of an album is matched with its other messages of the same call', async () => {
    const matcher = matcherFor({ exclusive: true, filter: { commands: ['save'] } });
    const marks = await matcher(
      message({ media_group_id: '9', photo: [] }),
      message({ media_group_id: '8' }),
      message({ media_group_id: '9', caption: '/save' }),
      { edited_message: { media_group_id: '9', chat: { id: 5 } } },
    );
    expect(marks).toEqual(['=1 9', ',1, 8', '=1 9', ',1,']);
  });

  test('of a hostile text lets other work go on while many are matched', async () => {
    const hostile = Array.from({ length: 4_000 }, () => message({ text: `${'ab'.repeat(2047)}!` }));
    const matcher = matcherFor({ exclusive: true, filter: { text: '(?:.*a){60}$' } });
    let passes = 0;
    let ended = false;
    const work = () => {
      passes += 1;
      if (!ended) setImmediate(work);
    };
    setImmediate(work);
    const before = process.cpuUsage();
    expect(await matcher(...hostile)).toEqual(hostile.map(() => ',1,'));
    const { user, system } = process.cpuUsage(before);
    ended = true;
    expect(passes).toBeGreaterThan(2);
    // An engine that backtracks would not end.
    expect((user + system) / 1000).toBeLessThan(400 * 200);
  });
});

test('one update that many filters have to look at long lets other work in between', async () => {
  const filter = { text: '(?:.*a){60}[^a]$' };
  const matcher = matcherFor(...Array.from({ length: 100 }, () => ({ filter })));
  let [turns, isMatched] = [0, false];
  const beat = (): void => {
    turns += 1;
    if (!isMatched) setImmediate(beat);
  };
  setImmediate(beat);
  const [mark] = await matcher(message({ text: 'a'.repeat(4096) }));
  isMatched = true;
  expect(mark).toMatch(/^,1,2,/);
  expect(turns).toBeGreaterThan(2);
});
