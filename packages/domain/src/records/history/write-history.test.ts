import { randomBytes } from 'node:crypto';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { OPERATOR } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { awaits } from '../chats/chat-desk.ts';
import { exportChat } from '../messages/export-chat.ts';
import { listMessagesAround } from '../messages/list-messages-around.ts';
import { messageStore } from '../messages/message-store.ts';
import { searchMessages } from '../messages/search-messages.ts';
import { findMessagePosition, type MessagePosition, positionOf } from './find-message-position.ts';
import { storeOwnMessage } from './store-own-message.ts';
import type { HistoryEntry } from './stream/history-codec.ts';
import { writeHistory } from './write-history.ts';

const logLines: string[] = [];
const log = createLogger({ name: 'test', level: 'warn', destination: { write: (line) => logLines.push(line) } });
const atMs = 1_780_000_000_500;
const dateS = 1_780_000_000;
const group = { id: -100200, type: 'group', title: 'Harbour' };
const ada = { id: 77, is_bot: false, first_name: 'Ada', username: 'ada' };
const self = { id: 5001, is_bot: true, first_name: 'Echo', username: 'echo_bot' };

type Details = { poll?: { total_voter_count: number } };

let database: TestDatabase;
let botId: number;
let sequence = 0;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(async () => {
  await database.drop();
});

beforeEach(async () => {
  const bot = await database.db
    .insertInto('bots')
    .values({
      telegram_id: self.id,
      token_sealed: 'sealed',
      token_hash: `hash-${++sequence}`,
      name: 'Echo',
      username: 'echo_bot',
      source: 'web',
      allowed_updates: null,
      registration_id: 'g1',
      revision: sequence,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  botId = bot.id;
});

function update(payload: Record<string, unknown>, updateId = ++sequence): HistoryEntry {
  const raw = JSON.stringify({ update_id: updateId, ...payload });
  return { type: 'update', key: `${botId}:${updateId}-0`, botId, registrationId: 'g1', atMs, updateId, raw };
}

function call(method: string, params: Record<string, string>, result: unknown): HistoryEntry {
  const key = `${botId}:call-${++sequence}`;
  return { type: 'call', key, botId, registrationId: 'g1', atMs, method, params, result: JSON.stringify(result) };
}

function message(id: number, fields: Record<string, unknown> = {}) {
  return { message_id: id, from: ada, chat: group, date: dateS, text: `text ${id}`, ...fields };
}

async function write(...entries: HistoryEntry[]) {
  return writeHistory({ db: database.db, log }, entries);
}

async function rows() {
  return database.db
    .selectFrom('messages')
    .select(['business_connection_id', 'chat_id', 'id', 'user_id', 'username', 'first_name', 'text', 'date'])
    .select([
      'media_type',
      'file_id',
      'reply_to_message_id',
      'edit_date',
      'deleted_at',
      'outgoing',
      'service',
      'details',
      'program_id',
    ])
    .where('bot_id', '=', botId)
    .orderBy('chat_id')
    .orderBy('id')
    .execute();
}

async function chats() {
  return database.db.selectFrom('chats').selectAll().where('bot_id', '=', botId).orderBy('id').execute();
}

async function audits() {
  return database.db.selectFrom('audit_log').selectAll().where('bot_id', '=', botId).orderBy('id').execute();
}

async function deadLetters() {
  return database.db.selectFrom('dead_letters').selectAll().where('bot_id', '=', botId).orderBy('id').execute();
}

async function everything() {
  const chatUsers = await database.db.selectFrom('chat_users').selectAll().where('bot_id', '=', botId).execute();
  return { rows: await rows(), chats: await chats(), audits: await audits(), letters: await deadLetters(), chatUsers };
}

test('what came in one second stands in the order in which it came, page by page from either end', async () => {
  const press = (updateId: number, on: number) =>
    update(
      { callback_query: { id: '1', from: ada, chat_instance: '1', data: 'x', message: message(on, { from: self }) } },
      updateId,
    );
  const ephemeral = (id: number) => update({ message: message(0, { ephemeral_message_id: id }) });
  const own = (id: number) => message(id, { from: self });
  const press1 = 9_001;
  await write(
    call('sendMessage', {}, own(10)),
    update({ message: message(11) }),
    press(press1, 10),
    update({ message: message(12) }),
    press(press1 + 1, 10),
    ephemeral(1),
    ephemeral(2),
    press(press1 + 2, 10),
  );
  await write(update({ message: message(13) }));
  // The backend answers by the REST interface before the press is stored.
  await storeOwnMessage(database.db, { action: 'send', by: OPERATOR, auditKey: 'k', atMs }, botId, own(14));
  await write(press(press1 + 3, 13), update({ message: message(15) }));
  const pressed = (at: number) => press1 + at - 2 ** 32;
  const said = (id: number) => -(2 ** 40 + id);
  const inOrder = [10, 11, pressed(0), 12, pressed(1), said(1), said(2), pressed(2), 13, pressed(3), 14, 15];
  const chat = { bot_id: botId, chat_id: group.id };
  const shown = { include_deleted: false, limit: 1 };
  const exported: number[] = [];
  for await (const { id } of exportChat(database.db, chat)) exported.unshift(id);
  expect(exported).toEqual(inOrder);
  const store = messageStore(database.db);
  const [backward, forward]: number[][] = [[], []];
  for (let before: MessagePosition | null = null; ; ) {
    const [found] = await store.list(chat, { ...shown, offset: 0, before });
    if (found === undefined) break;
    backward!.unshift(found.id);
    before = positionOf(found);
  }
  for (let after: MessagePosition = [0, 0, 0, '']; ; ) {
    const [found] = await store.listAfter(chat, { ...shown, after });
    if (found === undefined) break;
    forward!.push(found.id);
    after = positionOf(found);
  }
  expect([backward, forward]).toEqual([inOrder, inOrder]);
  const around = (await findMessagePosition(database.db, chat, pressed(1)))!;
  const window = await listMessagesAround(database.db, chat, around, { ...shown, limit: 3 });
  expect(window.messages.map(({ id }) => id)).toEqual([said(1), pressed(1), 12]);
});

test('every text that a person sees in a message is found', async () => {
  const file = { file_id: 'f'.repeat(24), file_unique_id: 'u', file_size: 1 };
  const option = (text: string) => ({ text, voter_count: 0 });
  const poll = { id: '71', question: 'Wohin?', options: [option('Bremen')], total_voter_count: 0, type: 'regular' };
  const tasks = [{ id: 1, text: 'calibrate' }];
  const venue = { title: 'Lighthouse', address: 'Quay 9', location: { latitude: 1, longitude: 2 } };
  const invoice = { title: 'Mooring', description: 'two nights', currency: 'EUR', total_amount: 1 };
  const contents: [found: string[], content: Record<string, unknown>][] = [
    [['ahoy'], { text: 'Ahoy' }],
    [['sunset'], { photo: [file], caption: 'Sunset' }],
    [['manifest'], { document: { ...file, file_name: 'manifest.pdf' } }],
    [['hurdy', 'gurdy'], { audio: { ...file, performer: 'Hurdy', title: 'Gurdy' } }],
    [['wohin', 'bremen'], { poll }],
    [['departure', 'calibrate'], { checklist: { title: 'Departure', tasks } }],
    [['calibrate'], { checklist_tasks_added: { tasks } }],
    [
      ['calibrate'],
      { checklist_tasks_done: { marked_as_done_task_ids: [1], checklist_message: { checklist: { tasks } } } },
    ],
    [['starboard'], { text: 'yes', quote: { text: 'starboard', position: 0 } }],
    [['grace', 'hopper', '4917'], { contact: { first_name: 'Grace', last_name: 'Hopper', phone_number: '+4917' } }],
    [['lighthouse', 'quay'], { venue, location: venue.location }],
    [['mooring', 'nights'], { invoice }],
    [['regatta'], { game: { title: 'Regatta', description: 'A race', photo: [file] } }],
    [
      ['charts', 'heading'],
      {
        rich_message: {
          blocks: [
            { type: 'heading', text: 'Charts' },
            { type: 'p', text: ['a ', { text: 'heading' }] },
          ],
        },
      },
    ],
    [['windward'], { text: 'go', reply_markup: { inline_keyboard: [[{ text: 'Windward', callback_data: '1' }]] } }],
    [
      ['leeward'],
      {
        photo: [file],
        reply_markup: {
          inline_keyboard: [
            [
              { text: 'x', url: 'https://e.org' },
              { text: 'Leeward', url: 'https://e.org' },
            ],
          ],
        },
      },
    ],
    [['harbour', 'day'], { new_chat_title: 'Harbour Day' }],
    [['pilotage'], { forum_topic_created: { name: 'Pilotage', icon_color: 1 } }],
    [['souvenir'], { gift: { text: 'souvenir', gift: { id: 'g', star_count: 1 } } }],
  ];
  const payloads = contents.map(([, content], at) => ({
    ...message(at + 1, content),
    ...(content.text ? {} : { text: undefined }),
  }));
  await write(...payloads.map((payload) => update({ message: payload })));
  const find = async (q: string) => {
    const query = { scope: { botId, chatIds: [group.id] }, q, limit: 50, offset: 0, before: null } as const;
    return (await searchMessages(database, query)).messages.map(({ id }) => id);
  };
  const keys = { keyboard: [[{ text: 'Bosun' }], ['Coxswain']] };
  const ofBot = (id: number) => message(id, { from: self });
  await write(call('sendmessage', { reply_markup: JSON.stringify(keys) }, ofBot(71)));
  const sent = { action: 'send', by: OPERATOR, auditKey: 'k', atMs, reply_markup: keys } as const;
  await storeOwnMessage(database.db, sent, botId, ofBot(72));
  const copied = { chat_id: `${group.id}`, from_chat_id: `${group.id}`, message_id: '71' };
  await write(call('copymessage', copied, { message_id: 73 }));
  await write(call('copymessage', { ...copied, reply_markup: JSON.stringify(keys) }, { message_id: 74 }));
  // These methods take no keyboard, and the platform ignores one.
  const reply_markup = JSON.stringify(keys);
  await write(call('sendMediaGroup', { reply_markup }, [ofBot(75)]));
  await write(call('forwardMessage', { ...copied, reply_markup }, ofBot(76)));
  const several = { ...copied, message_ids: '[71]', reply_markup };
  await write(
    call('forwardMessages', several, [{ message_id: 77 }]),
    call('copyMessages', several, [{ message_id: 78 }]),
  );
  for (const label of ['bosun', 'coxswain']) expect((await find(label)).sort()).toEqual([71, 72, 74]);
  const missed: string[] = [];
  for (const [at, [words]] of contents.entries()) {
    for (const word of words) if (!(await find(word)).includes(at + 1)) missed.push(word);
  }
  expect(missed).toEqual([]);
  // An edit changes what its buttons say, and a poll may get an option.
  const rows = [[{ text: 'Abeam', callback_data: '1' }]];
  const edited = { ...message(15, { text: 'go', edit_date: dateS + 9 }), reply_markup: { inline_keyboard: rows } };
  const grown = { ...poll, options: [...poll.options, option('Kiel')] };
  await write(update({ edited_message: edited }), update({ poll: grown }));
  expect([await find('windward'), await find('abeam'), await find('kiel')]).toEqual([[], [15], [5]]);
});

describe('incoming messages', () => {
  test('a message makes its row, its chat and its author', async () => {
    await write(update({ message: message(1, { reply_to_message: message(0) }) }));
    expect(await rows()).toEqual([
      {
        business_connection_id: '',
        chat_id: group.id,
        id: 1,
        user_id: 77,
        username: 'ada',
        first_name: 'Ada',
        text: 'text 1',
        date: dateS,
        media_type: null,
        file_id: null,
        reply_to_message_id: 0,
        edit_date: null,
        deleted_at: null,
        outgoing: false,
        service: null,
        details: null,
        program_id: null,
      },
    ]);
    expect(await chats()).toMatchObject([{ id: group.id, type: 'group', title: 'Harbour', message_count: 1 }]);
    const { chatUsers } = await everything();
    expect(chatUsers).toMatchObject([{ user_id: 77, username: 'ada', is_bot: false }]);
  });

  test('an edit replaces the content, and an older edit does not', async () => {
    await write(update({ message: message(1) }));
    await write(
      update({ edited_message: message(1, { text: 'second', edit_date: dateS + 20 }) }),
      update({ edited_message: message(1, { text: 'first', edit_date: dateS + 10 }) }),
    );
    await write(update({ edited_message: message(1, { text: 'zeroth', edit_date: dateS + 5 }) }));
    expect(await rows()).toMatchObject([{ text: 'second', edit_date: dateS + 20 }]);
    expect((await chats())[0]?.message_count).toBe(1);
  });

  describe('an id that comes again, as after a platform that was reset', () => {
    const bea = { id: 78, is_bot: false, first_name: 'Bea', username: 'bea' };
    const anew = (fields: object = {}) => message(1, { from: bea, text: 'anew', date: dateS + 60, ...fields });
    const before = () => update({ message: message(1, { reply_to_message: message(0) }) });
    const found = async (q: string) => {
      const page = { limit: 10, offset: 0, before: null };
      return (await searchMessages(database, { scope: { botId, chatIds: [group.id] }, q, ...page })).messages;
    };

    test('is the newer message, whole, in history and search, and is told of', async () => {
      await write(before());
      logLines.length = 0;
      const { replaced } = await write(update({ message: anew() }));
      expect(await rows()).toMatchObject([
        { user_id: 78, first_name: 'Bea', text: 'anew', date: dateS + 60, reply_to_message_id: null, edit_date: null },
      ]);
      expect((await found('anew')).map(({ id }) => id)).toEqual([1]);
      expect(await found('text')).toEqual([]);
      expect((await chats())[0]?.message_count).toBe(1);
      expect(replaced).toBe(1);
      expect(logLines.join()).toContain('used again');
    });

    test('also where the older one was edited, sent or deleted; the count of the chat goes along', async () => {
      const chat_id = String(group.id);
      await write(
        call('sendMessage', { chat_id }, message(1, { from: self })),
        call('editMessageText', { chat_id }, message(1, { from: self, text: 'edited', edit_date: dateS + 20 })),
        call('deleteMessage', { chat_id, message_id: '1' }, true),
      );
      expect((await chats())[0]?.message_count).toBe(0);
      await write(update({ message: anew() }));
      expect(await rows()).toMatchObject([{ text: 'anew', outgoing: false, deleted_at: null, edit_date: null }]);
      expect((await chats())[0]?.message_count).toBe(1);
    });

    test('also within one batch, deleted before or edited after', async () => {
      const edited = { text: 'anew, edited', edit_date: dateS + 70 };
      const deletion = call('deleteMessage', { chat_id: String(group.id), message_id: '1' }, true);
      await write(
        before(),
        { ...deletion, atMs: (dateS + 30) * 1000 },
        update({ message: anew() }),
        update({ edited_message: anew(edited) }),
      );
      expect(await rows()).toMatchObject([{ user_id: 78, deleted_at: null, date: dateS + 60, ...edited }]);
      expect((await chats())[0]?.message_count).toBe(1);
    });

    test('also with an edit of the newer one in its batch', async () => {
      await write(before());
      const edited = { text: 'anew, edited', edit_date: dateS + 70 };
      await write(update({ message: anew() }), update({ edited_message: anew(edited) }));
      expect(await rows()).toMatchObject([{ user_id: 78, date: dateS + 60, ...edited }]);
    });

    test('also within the second of the older one', async () => {
      await write(before());
      await write(update({ message: anew({ date: dateS }) }));
      expect(await rows()).toMatchObject([{ user_id: 78, text: 'anew' }]);
    });

    test('is no such thing when the same message is told again, or an older one late', async () => {
      await write(before(), update({ edited_message: message(1, { text: 'edited', edit_date: dateS + 20 }) }));
      const stored = await everything();
      expect((await write(before())).replaced).toBe(0);
      await write(update({ message: message(1, { text: 'late', date: dateS - 60 }) }));
      expect((await everything()).rows).toEqual(stored.rows);
    });
  });

  test('of two edits in one second the later one stands', async () => {
    await write(update({ edited_message: message(1, { text: 'a', edit_date: dateS + 1 }) }));
    await write(update({ edited_message: message(1, { text: 'b', edit_date: dateS + 1 }) }));
    expect(await rows()).toMatchObject([{ text: 'b' }]);
  });

  test('an edit before its message makes the row, and the message does not undo it', async () => {
    await write(update({ edited_message: message(1, { text: 'edited', edit_date: dateS + 10 }) }));
    await write(update({ message: message(1) }));
    expect(await rows()).toMatchObject([{ text: 'edited', edit_date: dateS + 10 }]);
    expect((await chats())[0]?.message_count).toBe(1);
  });

  test('an edit without a date of its own counts as made on arrival', async () => {
    await write(update({ message: message(1) }), update({ edited_message: message(1, { text: 'edited' }) }));
    expect(await rows()).toMatchObject([{ text: 'edited', edit_date: dateS }]);
  });

  test('a channel post is signed by its channel, which is no user', async () => {
    const channel = { id: -1009, type: 'channel', title: 'News', username: 'news' };
    const post = { message_id: 3, sender_chat: channel, chat: channel, date: dateS, text: 'hello' };
    await write(
      update({ channel_post: post }),
      update({ edited_channel_post: { ...post, text: 'hi', edit_date: dateS + 1 } }),
    );
    expect(await rows()).toMatchObject([{ user_id: -1009, username: 'news', first_name: 'News', text: 'hi' }]);
    expect(await chats()).toMatchObject([{ type: 'channel', title: 'News' }]);
    expect((await everything()).chatUsers).toEqual([]);
  });

  test('messages of a business connection have rows of their own, and are deleted there only', async () => {
    const customer = { id: 77, type: 'private', first_name: 'Ada' };
    const business = (id: number, fields = {}) =>
      message(id, { chat: customer, business_connection_id: 'bc', ...fields });
    await write(
      update({ message: message(1, { chat: customer }) }),
      update({ business_message: business(1) }),
      update({ business_message: business(2, { from: ada, sender_business_bot: self }) }),
      update({ edited_business_message: business(2, { text: 'edited', edit_date: dateS + 1 }) }),
      update({ deleted_business_messages: { business_connection_id: 'bc', chat: customer, message_ids: [1, 9] } }),
    );
    expect(await rows()).toMatchObject([
      { business_connection_id: '', id: 1, deleted_at: null },
      { business_connection_id: 'bc', id: 1, deleted_at: new Date(atMs) },
      { business_connection_id: 'bc', id: 2, deleted_at: null, text: 'edited', outgoing: true },
    ]);
    expect((await chats())[0]?.message_count).toBe(2);
  });

  test('a deleted message stays deleted when it is edited or replayed', async () => {
    const first = update({ message: message(1) });
    await write(first, call('deleteMessage', { chat_id: String(group.id), message_id: '1' }, true));
    await write(first, update({ edited_message: message(1, { text: 'x', edit_date: dateS + 1 }) }));
    expect(await rows()).toMatchObject([{ deleted_at: new Date(atMs), text: 'x' }]);
    expect((await chats())[0]?.message_count).toBe(0);
  });

  test('a pressed button is a message with a negative id that answers the message with the button', async () => {
    const callback = {
      id: '4',
      from: ada,
      message: message(8, { from: self }),
      data: 'yes\u0000!',
      chat_instance: '1',
    };
    await write(update({ callback_query: callback }, 4242));
    expect(await rows()).toMatchObject([
      {
        id: 4242 - 2 ** 32,
        chat_id: group.id,
        user_id: 77,
        text: 'yes!',
        media_type: 'callback',
        reply_to_message_id: 8,
        date: dateS,
      },
    ]);
  });

  test('buttons that were pressed in one second are in the order of their updates', async () => {
    const pressed = (data: string) => ({ id: '4', from: ada, message: message(8, { from: self }), data });
    await write(
      update({ callback_query: pressed('second') }, 4243),
      update({ callback_query: pressed('first') }, 4242),
    );
    expect((await rows()).toSorted((a, b) => a.id - b.id).map(({ text }) => text)).toEqual(['first', 'second']);
  });

  test('a live location says where it is now, told by updates or by the bot’s own calls, and is found by it', async () => {
    const at = (latitude: number, fields = {}) =>
      message(1, { text: undefined, location: { latitude, longitude: 10.5, live_period: 900 }, ...fields });
    await write(update({ message: at(54) }));
    await write(update({ edited_message: at(55, { edit_date: dateS + 5 }) }));
    expect(await rows()).toMatchObject([{ service: 'location', text: 'Live location: 55, 10.5' }]);
    await write(call('editMessageLiveLocation', { chat_id: String(group.id), message_id: '1' }, at(56)));
    expect(await rows()).toMatchObject([{ service: 'location', text: 'Live location: 55, 10.5' }]);
    await write({ ...call('editMessageLiveLocation', {}, at(56)), atMs: atMs + 9_000 });
    expect(await rows()).toMatchObject([{ service: 'location', text: 'Live location: 56, 10.5' }]);
    const search = { scope: { botId, chatIds: [group.id] }, limit: 10, offset: 0, before: null };
    expect((await searchMessages(database, { ...search, q: 'location 56' })).messages).toHaveLength(1);
    expect((await searchMessages(database, { ...search, q: 'location 55' })).messages).toEqual([]);
  });

  test('a poll shows its votes as they come, in its topic, in one batch and later; of an unknown poll nothing is kept', async () => {
    const pollOf = (id: string, votes: number, is_closed = false) => ({
      ...{ id, question: 'Ready? \u0000 \ud800', type: 'regular', is_anonymous: true, allows_multiple_answers: false },
      ...{ is_closed, total_voter_count: votes, options: [{ text: 'Yes', voter_count: votes }] },
    });
    const inTopic = { text: undefined, message_thread_id: 9, is_topic_message: true };
    const votesOf = async () =>
      (await rows()).map(({ details }) => (details as Details | null)?.poll?.total_voter_count);
    await write(
      update({ message: message(1, { ...inTopic, poll: pollOf('70', 0) }) }),
      update({ message: message(2, { text: undefined, poll: pollOf('71', 0) }) }),
      update({ message: message(3) }),
      update({ poll: pollOf('70', 1) }),
      update({ poll: pollOf('70', 2) }),
    );
    expect(await votesOf()).toEqual([2, 0, undefined]);
    await write(update({ poll: pollOf('70', 3, true) }), update({ poll: pollOf('404', 9) }));
    expect(await votesOf()).toEqual([3, 0, undefined]);
    expect((await rows())[0]).toMatchObject({ edit_date: null, details: { thread_id: 9, poll: { is_closed: true } } });
    const ofTopic = sql<boolean>`thread_id = 9`;
    const stored = database.db.selectFrom('messages').select('id').where('bot_id', '=', botId).where(ofTopic);
    expect(await stored.execute()).toEqual([{ id: 1 }]);
    expect(await deadLetters()).toEqual([]);
  });

  test('an edit that makes something else of a message changes its service, in one batch and later', async () => {
    const checklist = { text: undefined, checklist: { title: 'Fuel' }, edit_date: dateS + 5 };
    await write(update({ message: message(1) }), update({ edited_message: message(1, checklist) }));
    expect(await rows()).toMatchObject([{ service: 'checklist', text: 'Checklist: Fuel' }]);
    await write(update({ edited_message: message(1, { edit_date: dateS + 6 }) }));
    expect(await rows()).toMatchObject([{ service: null, text: 'text 1' }]);
  });

  test('an id that comes again takes the service of the newer message', async () => {
    await write(update({ message: message(1, { text: undefined, left_chat_member: ada }) }));
    expect(await rows()).toMatchObject([{ service: 'left', text: 'Left: Ada' }]);
    await write(update({ message: message(1, { date: dateS + 60 }) }));
    expect(await rows()).toMatchObject([{ service: null, text: 'text 1' }]);
  });

  test('a ban and its end are rows, in a private chat as blocks of the bot; a join or a promotion is none', async () => {
    const [ben, person] = [
      { id: 78, is_bot: false, first_name: 'Ben' },
      { id: 77, type: 'private' },
    ];
    const change = (from: object, user: object, before: string, after: string, chat: object = group) => ({
      ...{ chat, from, date: dateS + sequence },
      ...{ old_chat_member: { user, status: before }, new_chat_member: { user, status: after } },
    });
    await write(
      update({ chat_member: change(ada, ben, 'left', 'member') }),
      update({ chat_member: change(ada, ben, 'member', 'administrator') }),
      update({ chat_member: change(self, ben, 'member', 'kicked') }),
      update({ chat_member: change(ada, ben, 'kicked', 'left') }),
      update({ my_chat_member: change(ada, self, 'member', 'kicked', person) }),
      update({ my_chat_member: change(ada, self, 'kicked', 'member', person) }),
    );
    const told = (await rows()).sort((a, b) => a.id - b.id);
    expect(told).toMatchObject([
      { chat_id: group.id, service: 'ban', text: 'Banned: Ben', user_id: self.id, outgoing: true },
      { chat_id: group.id, service: 'unban', text: 'Unbanned: Ben', user_id: 77, outgoing: false },
      { chat_id: 77, service: 'ban', text: 'Blocked the bot', user_id: 77 },
      { chat_id: 77, service: 'unban', text: 'Unblocked the bot', user_id: 77 },
    ]);
    expect(told.every((row) => row.id < 0)).toBe(true);
  });

  test('a channel and an anonymous admin are authors, but no people, also of a ban', async () => {
    const standIn = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
    const change = {
      ...{ chat: group, from: standIn, date: dateS },
      ...{ old_chat_member: { user: ada, status: 'member' }, new_chat_member: { user: ada, status: 'kicked' } },
    };
    await write(
      update({ message: message(1, { from: standIn, sender_chat: group }) }),
      update({ message: message(2, { from: standIn, sender_chat: { id: -1009, type: 'channel', title: 'News' } }) }),
      update({ chat_member: change }),
    );
    const authors = (await rows()).map(({ user_id, first_name }) => [user_id, first_name]);
    expect(new Set(authors.map(String))).toEqual(new Set([`${group.id},${group.title}`, '-1009,News']));
    expect(authors).toHaveLength(3);
    expect((await everything()).chatUsers).toEqual([]);
  });

  test('a button of an inline message has no chat and makes no row', async () => {
    await write(
      update({ callback_query: { id: '4', from: ada, inline_message_id: 'x', data: 'yes', chat_instance: '1' } }),
    );
    expect(await rows()).toEqual([]);
    expect(await deadLetters()).toEqual([]);
  });

  test('a button under a message too old to be shown is kept all the same', async () => {
    const old = { chat: group, message_id: 8, date: 0 };
    await write(update({ callback_query: { id: '4', from: ada, message: old, data: 'yes', chat_instance: '1' } }, 77));
    expect(await rows()).toMatchObject([{ id: 77 - 2 ** 32, date: dateS, reply_to_message_id: 8 }]);
  });

  test('a group that becomes a supergroup is tracked under its new id with the people of the old one', async () => {
    const supergroup = { id: -1_001_234_567_890, type: 'supergroup', title: 'Harbour' };
    await write(update({ message: message(1) }));
    await database.db
      .insertInto('tags')
      .values({ bot_id: botId, chat_id: group.id, user_id: 77, username: 'ada', tag: 'vip', color: '#ffffff' })
      .execute();
    const move = update({ message: message(2, { text: undefined, migrate_to_chat_id: supergroup.id }) });
    await write(move);
    await write(
      update({ message: message(1, { chat: supergroup, text: undefined, migrate_from_chat_id: group.id }) }),
      move,
    );
    expect(await chats()).toMatchObject([
      { id: supergroup.id, type: 'supergroup', title: 'Harbour', message_count: 1 },
      { id: group.id, type: 'group', message_count: 2 },
    ]);
    const tags = await database.db.selectFrom('tags').selectAll().where('bot_id', '=', botId).execute();
    expect(tags).toMatchObject([{ chat_id: supergroup.id, tag: 'vip' }]);
    const users = (await everything()).chatUsers.filter((user) => user.chat_id === supergroup.id);
    expect(users).toMatchObject([{ user_id: 77 }]);
  });

  test('a chat takes its newest title, and an author the name of the newest message', async () => {
    await write(update({ message: message(2, { date: dateS + 100, chat: { ...group, title: 'Port' } }) }));
    await write(
      update({ message: message(1, { from: { ...ada, first_name: 'Older' }, chat: { ...group, title: 'Quay' } }) }),
    );
    expect(await chats()).toMatchObject([{ title: 'Quay' }]);
    expect((await everything()).chatUsers).toMatchObject([{ first_name: 'Ada' }]);
  });
});

describe('captured calls', () => {
  const chat_id = String(group.id);

  test('what is sent is stored as outgoing, albums included', async () => {
    await write(
      call('sendMessage', { chat_id, text: 'hi' }, message(1, { from: self })),
      call('sendMediaGroup', { chat_id, media: '[]' }, [
        message(2, { from: self, photo: [{ file_id: 'p1', width: 1, height: 1 }] }),
        message(3, { from: self, video: { file_id: 'v1' } }),
      ]),
      call('forwardMessage', { chat_id }, message(4, { from: self })),
    );
    expect(await rows()).toMatchObject([
      { id: 1, outgoing: true, user_id: self.id },
      { id: 2, outgoing: true, media_type: 'photo', file_id: 'p1' },
      { id: 3, outgoing: true, media_type: 'video', file_id: 'v1' },
      { id: 4, outgoing: true },
    ]);
  });

  test('what a bot reads or is told is no message of its own', async () => {
    await write(
      call('getChat', { chat_id }, { id: group.id, type: 'group', pinned_message: message(9) }),
      call('getUserPersonalChatMessages', { user_id: '77' }, [message(10)]),
      call('sendChatAction', { chat_id, action: 'typing' }, true),
      call('answerCallbackQuery', { callback_query_id: '1' }, true),
      call('sendPoll', { chat_id }, message(11, { from: self, poll: { id: '1', question: '?' } })),
      call('stopPoll', { chat_id, message_id: '11' }, { id: '1', question: '?' }),
    );
    expect((await rows()).map((row) => row.id)).toEqual([11]);
  });

  test('an edit of an outgoing message updates its row and keeps it outgoing', async () => {
    await write(call('sendMessage', { chat_id, text: 'hi' }, message(1, { from: self })));
    const edited = message(1, { from: self, text: 'ho', edit_date: dateS + 9 });
    await write(call('editMessageText', { chat_id, message_id: '1', text: 'ho' }, edited));
    await write(call('editMessageText', { inline_message_id: 'x', text: 'ho' }, true));
    expect(await rows()).toMatchObject([{ text: 'ho', edit_date: dateS + 9, outgoing: true }]);
  });

  test('the row says which program sent it, also if an update told of it before, and whoever edits it later', async () => {
    const by = (programId: number, entry: HistoryEntry) =>
      ({ ...entry, actor: { programId, program: `p${programId}` } }) as HistoryEntry;
    const channel = { id: -1009, type: 'channel', title: 'News' };
    const post = { message_id: 3, sender_chat: channel, chat: channel, date: dateS, text: 'hello' };
    const copied = call('copyMessage', { chat_id, from_chat_id: chat_id, message_id: '1' }, { message_id: 9 });
    const entries = [
      by(4, call('sendMessage', { chat_id }, message(1, { from: self }))),
      by(7, call('editMessageText', { chat_id }, message(1, { from: self, text: 'new', edit_date: dateS + 1 }))),
      by(7, call('sendMediaGroup', { chat_id }, [message(5, { from: self }), message(6, { from: self })])),
      by(7, copied),
      call('sendMessage', { chat_id }, message(8, { from: self })),
      by(7, call('editMessageText', { chat_id }, message(8, { from: self, text: 'new', edit_date: dateS + 1 }))),
      update({ channel_post: post }),
      by(4, call('sendMessage', {}, post)),
    ];
    const programs = async () => Object.fromEntries((await rows()).map(({ id, program_id }) => [id, program_id]));
    const expected = { 1: 4, 3: 4, 5: 7, 6: 7, 8: null, 9: 7 };
    await write(...entries);
    expect(await programs()).toEqual(expected);
    expect(await audits()).toEqual([]);
    await database.db.deleteFrom('messages').where('bot_id', '=', botId).execute();
    for (const entry of entries) await write(entry);
    expect(await programs()).toEqual(expected);
    const later = message(1, { from: self, date: dateS + 90, text: 'another with its id' });
    await write(call('sendMessage', { chat_id }, later));
    expect((await programs())[1]).toBe(null);
  });

  test('an edit of what others wrote does not become the bot’s', async () => {
    const channel = { id: -1009, type: 'channel', title: 'News' };
    const post = { message_id: 3, sender_chat: channel, chat: channel, date: dateS, text: 'hello' };
    await write(
      update({ channel_post: post }),
      call('editMessageText', {}, { ...post, text: 'fixed', edit_date: dateS + 1 }),
    );
    expect(await rows()).toMatchObject([{ text: 'fixed', outgoing: false }]);
  });

  test('a copy has the content of its source, as it then was, whether that is stored or in the same batch', async () => {
    const photo = { text: undefined, caption: 'sea', photo: [{ file_id: 'p', width: 1, height: 1 }] };
    await write(update({ message: message(1, photo) }));
    await write(
      update({ edited_message: message(1, { ...photo, caption: 'the sea', edit_date: dateS + 1 }) }),
      call('copyMessage', { chat_id: '-300', from_chat_id: chat_id, message_id: '1' }, { message_id: 50 }),
      update({ message: message(2) }),
      call('copyMessages', { chat_id: '-300', from_chat_id: chat_id, message_ids: '[1,2]' }, [
        { message_id: 51 },
        { message_id: 52 },
      ]),
      update({ edited_message: message(2, { text: 'later', edit_date: dateS + 1 }) }),
      call('copyMessage', { chat_id: '-300', from_chat_id: '-300', message_id: '52' }, { message_id: 53 }),
    );
    const copies = (await rows()).filter((row) => row.chat_id === -300);
    expect(copies).toMatchObject([
      { id: 50, text: 'the sea', media_type: 'photo', file_id: 'p', user_id: self.id, outgoing: true, date: dateS },
      { id: 51, text: 'the sea', media_type: 'photo' },
      { id: 52, text: 'text 2', media_type: null },
      { id: 53, text: 'text 2' },
    ]);
    expect((await chats()).find((chat) => chat.id === -300)).toMatchObject({ type: 'group', message_count: 4 });
  });

  test('a copy that answers a message of another chat answers none of its own', async () => {
    await write(update({ message: message(1) }));
    const copyTo = (reply: object) =>
      call(
        'copyMessage',
        { chat_id: '-300', from_chat_id: chat_id, message_id: '1', reply_parameters: JSON.stringify(reply) },
        { message_id: 50 + Object.keys(reply).length },
      );
    await write(copyTo({ message_id: 7 }), copyTo({ message_id: 7, chat_id: -400 }));
    await write(
      call(
        'copyMessage',
        {
          chat_id: '-300',
          from_chat_id: chat_id,
          message_id: '1',
          reply_parameters: '{"message_id":7,"chat_id":"-300","quote":"x"}',
        },
        { message_id: 53 },
      ),
    );
    const copies = (await rows()).filter(({ chat_id: of }) => of === -300).toSorted((a, b) => a.id - b.id);
    expect(copies.map(({ id, reply_to_message_id: reply }) => [id, reply])).toEqual([
      [51, 7],
      [52, null],
      [53, 7],
    ]);
  });

  test('a copy of a location or a poll is one', async () => {
    const position = { location: { latitude: 1, longitude: 2 } };
    await write(
      update({ message: message(1, { text: undefined, ...position }) }),
      call('copyMessage', { chat_id: '-300', from_chat_id: chat_id, message_id: '1' }, { message_id: 50 }),
    );
    await write(call('copyMessage', { chat_id: '-300', from_chat_id: '-300', message_id: '50' }, { message_id: 51 }));
    const copies = (await rows()).filter((row) => row.chat_id === -300);
    expect(copies).toMatchObject([50, 51].map((id) => ({ id, service: 'location', text: 'Location: 1, 2' })));
  });

  test('a copy takes a new caption under a medium only, and may lose its caption and answer a message', async () => {
    const photo = { text: undefined, caption: 'sea', photo: [{ file_id: 'p', width: 1, height: 1 }] };
    await write(update({ message: message(1, photo) }), update({ message: message(2) }));
    const from = { chat_id, from_chat_id: chat_id };
    await write(
      call(
        'copyMessage',
        { ...from, message_id: '1', caption: 'new', reply_parameters: '{"message_id":2}' },
        { message_id: 60 },
      ),
      call('copyMessage', { ...from, message_id: '2', caption: 'new' }, { message_id: 61 }),
      call('copyMessages', { ...from, message_ids: '[1]', remove_caption: 'true' }, [{ message_id: 62 }]),
      call('copyMessage', { ...from, message_id: '999' }, { message_id: 63 }),
      call('forwardMessages', { ...from, message_ids: '[1,2]' }, [{ message_id: 64 }]),
    );
    const copies = (await rows()).filter((row) => row.id >= 60);
    expect(copies).toMatchObject([
      { id: 60, text: 'new', media_type: 'photo', reply_to_message_id: 2 },
      { id: 61, text: 'text 2' },
      { id: 62, text: null, media_type: 'photo' },
      { id: 63, text: null, media_type: null },
      { id: 64, text: null, media_type: null },
    ]);
  });

  test('a copy has the entities of its source and buttons of its own', async () => {
    const bold = { type: 'bold', offset: 0, length: 3 };
    const markup = (text: string) => ({ inline_keyboard: [[{ text, callback_data: text }]] });
    const document = { file_id: 'd', file_name: 'plan.pdf' };
    const source = { text: undefined, caption: 'sea', caption_entities: [bold], document, reply_markup: markup('old') };
    const from = { chat_id, from_chat_id: chat_id, message_id: '1' };
    const caption_entities = JSON.stringify([{ ...bold, type: 'italic' }]);
    await write(
      update({ message: message(1, { ...source, message_thread_id: 9, is_topic_message: true, media_group_id: 'g' }) }),
      call(
        'copyMessage',
        { ...from, reply_markup: JSON.stringify(markup('new')), message_thread_id: '4' },
        { message_id: 60 },
      ),
      call('copyMessage', { ...from, caption: 'new', caption_entities }, { message_id: 61 }),
      call('copyMessage', { ...from, caption: 'new', caption_entities: '[{', reply_markup: 'x' }, { message_id: 62 }),
    );
    expect((await rows()).map(({ id, details }) => ({ id, details }))).toEqual([
      {
        id: 1,
        details: {
          ...{ file_name: 'plan.pdf', thread_id: 9, media_group_id: 'g', entities: [bold] },
          buttons: markup('old').inline_keyboard,
        },
      },
      {
        id: 60,
        details: { file_name: 'plan.pdf', entities: [bold], buttons: markup('new').inline_keyboard, thread_id: 4 },
      },
      { id: 61, details: { file_name: 'plan.pdf', entities: [{ ...bold, type: 'italic' }] } },
      { id: 62, details: { file_name: 'plan.pdf' } },
    ]);
  });

  test('buttons go along with edits, also with one of the buttons alone, and older ones do not come back', async () => {
    const markup = (text: string) => ({ reply_markup: { inline_keyboard: [[{ text, callback_data: text }]] } });
    const buttons = async () => (await rows()).map(({ details }) => (details as { buttons?: unknown })?.buttons);
    const sent = call('sendMessage', { chat_id }, message(1, { from: self, ...markup('first') }));
    await write(sent);
    expect(await buttons()).toEqual([markup('first').reply_markup.inline_keyboard]);
    const edited = call('editMessageReplyMarkup', { chat_id }, message(1, { from: self, ...markup('second') }));
    await write(edited, sent);
    expect(await buttons()).toEqual([markup('second').reply_markup.inline_keyboard]);
    await write(call('editMessageText', { chat_id }, message(1, { from: self, text: 'done', edit_date: dateS + 9 })));
    await write(edited, sent);
    expect(await buttons()).toEqual([undefined]);
  });

  test('a NUL character or half of a surrogate pair in an entity or a button is no obstacle', async () => {
    const entities = [{ type: 'text_link', offset: 0, length: 1, url: 'https://a.example/\u0000\ud800' }];
    const reply_markup = { inline_keyboard: [[{ text: 'a\u0000b \udc00', callback_data: '\u0000' }]] };
    await write(call('sendMessage', { chat_id }, message(1, { from: self, entities, reply_markup })));
    expect(await deadLetters()).toEqual([]);
    expect(await rows()).toMatchObject([{ details: { buttons: [[{ text: expect.stringMatching(/^ab /) }]] } }]);
  });

  test('a chat may be named by its username', async () => {
    const channel = { id: -1009, type: 'channel', title: 'News', username: 'News' };
    await write(update({ channel_post: { message_id: 3, chat: channel, date: dateS, text: 'hello' } }));
    await write(
      call('copyMessage', { chat_id: '@news', from_chat_id: '@NEWS', message_id: '3' }, { message_id: 4 }),
      call('deleteMessage', { chat_id: '@news', message_id: '3' }, true),
      call('pinChatMessage', { chat_id: '@nobody_knows', message_id: '3' }, true),
    );
    expect(await rows()).toMatchObject([
      { id: 3, deleted_at: new Date(atMs) },
      { id: 4, chat_id: -1009, text: 'hello' },
    ]);
    expect(await audits()).toMatchObject([
      { action: 'delete', chat_id: -1009 },
      { action: 'pin', chat_id: 0, details: '@nobody_knows, message 3' },
    ]);
  });

  test('deletions mark the rows, those of a business connection too', async () => {
    const customer = { id: 77, type: 'private', first_name: 'Ada' };
    await write(
      ...[1, 2, 3].map((id) => update({ message: message(id) })),
      update({ business_message: message(2, { chat: customer, business_connection_id: 'bc' }) }),
    );
    await write(
      call('deleteMessages', { chat_id, message_ids: '[1,3,8]' }, true),
      call('deleteBusinessMessages', { business_connection_id: 'bc', message_ids: '[2]' }, true),
    );
    const gone = (await rows()).filter((row) => row.deleted_at !== null);
    expect(gone.map((row) => [row.business_connection_id, row.id])).toEqual([
      ['', 1],
      ['', 3],
      ['bc', 2],
    ]);
    expect((await chats()).map((chat) => chat.message_count)).toEqual([1, 0]);
  });

  test.each([
    ['banChatMember', { user_id: '77', revoke_messages: 'true' }, 'ban', 77, 'messages removed'],
    ['BANCHATMEMBER', { user_id: '77', until_date: '1780000000' }, 'ban', 77, 'until 2026-05-28T20:26:40.000Z'],
    ['banChatSenderChat', { sender_chat_id: '-1009' }, 'ban', -1009, 'sender chat'],
    ['unbanChatMember', { user_id: '77' }, 'unban', 77, ''],
    [
      'restrictChatMember',
      { user_id: '77', until_date: '1780000000', permissions: '{"can_send_polls":false,"can_send_messages":true}' },
      'restrict',
      77,
      'until 2026-05-28T20:26:40.000Z; permissions: can_send_messages',
    ],
    [
      'promoteChatMember',
      { user_id: '77', can_pin_messages: 'True', can_manage_chat: '1' },
      'promote',
      77,
      'can_manage_chat, can_pin_messages',
    ],
    ['promoteChatMember', { user_id: '77', can_pin_messages: 'false' }, 'demote', 77, ''],
    ['promoteChatMember', { user_id: '77' }, 'demote', 77, ''],
    ['setChatAdministratorCustomTitle', { user_id: '77', custom_title: 'Pilot' }, 'title', 77, 'Pilot'],
    ['setChatTitle', { title: 'Port' }, 'title', null, 'Port'],
    ['setChatDescription', { description: 'About' }, 'description', null, 'About'],
    ['setChatPhoto', {}, 'photo', null, 'set'],
    ['deleteChatPhoto', {}, 'photo', null, 'removed'],
    ['setChatPermissions', { permissions: '{}' }, 'permissions', null, 'permissions: none'],
    ['pinChatMessage', { message_id: '5' }, 'pin', 5, 'message 5'],
    ['pinChatMessage', { message_id: '77' }, 'pin', 77, 'message 77'],
    ['unpinChatMessage', { message_id: '6' }, 'unpin', 6, 'message 6'],
    ['unpinChatMessage', {}, 'unpin', null, 'newest message'],
    ['unpinAllChatMessages', {}, 'unpin_all', null, ''],
    ['deleteMessages', { message_ids: '[5,6]' }, 'delete', 5, 'message 5, 6'],
    ['deleteMessage', { message_id: '7' }, 'delete', 7, 'message 7'],
    ['leaveChat', {}, 'leave', null, ''],
  ])('%s is audited as the bot’s act', async (method, params, action, target_id, details) => {
    await write(update({ message: message(1) }));
    await write(call(method, { chat_id, ...params }, true));
    expect(await audits()).toMatchObject([
      {
        action,
        target_id,
        details,
        chat_id: group.id,
        // A message id may equal a person's id.
        target_username: 'user_id' in params && target_id === 77 ? 'ada' : null,
        actor_kind: 'bot',
        actor_id: botId,
        actor_username: 'echo_bot',
        date: dateS,
      },
    ]);
  });

  test.each([
    ['the chat as the platform reads it', 'deleteMessage', { chat_id: `${group.id}x`, message_id: '7x' }, 'message 7'],
    [
      'an id of which 32 bits count',
      'deleteMessage',
      { chat_id: String(group.id), message_id: '4294967303' },
      'message 7',
    ],
    ['JSON with odd escapes', 'deleteMessages', { chat_id: String(group.id), message_ids: '["\\7"]' }, 'message 7'],
  ])('%s is the chat and the message that are audited and deleted', async (_fact, method, params, details) => {
    await write(update({ message: message(7) }));
    await write(call(method, params, true));
    expect(await audits()).toMatchObject([{ action: 'delete', target_id: 7, details, chat_id: group.id }]);
    expect(await rows()).toMatchObject([{ id: 7, deleted_at: expect.anything() }]);
  });

  test('a call of which not all was understood is audited as such, also if its chat is unknown', async () => {
    const incomplete = 'the body is compressed';
    const chat_id = String(group.id);
    await write(
      { ...call('banChatMember', {}, true), incomplete } as HistoryEntry,
      { ...call('deleteMessages', { chat_id }, true), incomplete } as HistoryEntry,
      { ...call('banChatMember', { chat_id, user_id: '77', until_date: '1' }, true), incomplete } as HistoryEntry,
    );
    const mark = 'not understood: the body is compressed';
    expect(await audits()).toMatchObject([
      { action: 'ban', chat_id: 0, target_id: null, details: mark },
      { action: 'delete', chat_id: group.id, target_id: null, details: mark },
      { action: 'ban', chat_id: group.id, target_id: 77, details: `until 1970-01-01T00:00:01.000Z; ${mark}` },
    ]);
  });

  test('a call that comes again under another key is audited once, by the id of the call', async () => {
    const ban = {
      ...call('banChatMember', { chat_id: String(group.id), user_id: '77' }, true),
      captureKey: `call:a:${botId}`,
    };
    await write(ban as HistoryEntry);
    await write({ ...ban, key: `${botId}:later` } as HistoryEntry, { ...ban, key: `${botId}:latest` } as HistoryEntry);
    expect(await audits()).toMatchObject([{ action: 'ban', capture_key: `call:a:${botId}` }]);
  });

  test('what an account had done by REST is audited as its act, once, also where its record was kept unheard', async () => {
    const actor = { accountId: 12, username: 'moderator', auditKey: `rest:${botId}` };
    const { key, ...rest } = call('pinchatmessage', { chat_id: String(group.id), message_id: '5' }, true);
    const captured = { ...rest, key, actor } as HistoryEntry;
    await write(captured, { ...captured, key: `${key}-again` });
    const recorded = { actor_kind: 'account', actor_id: 12, actor_username: 'moderator', action: 'pin' };
    expect(await audits()).toMatchObject([recorded]);
    const by = { kind: 'account', accountId: 12, username: 'moderator', keyId: null, address: null } as const;
    const done = { action: 'unpin', bot_id: botId, chat_id: group.id } as const;
    await recordAction({ db: database.db, clock: { nowMs: () => captured.atMs } }, by, done, `rest:${botId}-2`);
    await write({ ...captured, actor: { ...actor, auditKey: `rest:${botId}-2` } } as HistoryEntry);
    expect(await audits()).toMatchObject([recorded, { ...recorded, action: 'unpin' }]);
  });

  test('who had a message sent is audited by the captured call, with key and address; a bot’s own sending is not', async () => {
    const account = { accountId: 12, username: 'moderator', keyId: 3, address: '192.0.2.7' };
    const actor = { ...account, auditKey: `rest:${botId}`, requestId: 'of-the-call' };
    const chat = { chat_id: String(group.id) };
    await write(call('sendmessage', chat, message(5, { from: self })));
    await write({ ...call('sendmessage', chat, message(6, { from: self })), actor } as HistoryEntry);
    const sent = { action: 'send', actor_kind: 'account', actor_id: 12, actor_key_id: 3, address: '192.0.2.7' };
    expect(await audits()).toMatchObject([
      { ...sent, request_id: 'of-the-call', target_id: 6, target_username: null, chat_id: group.id },
    ]);
  });

  test('what a bot did itself says where its call came from', async () => {
    const { key, ...rest } = call('pinchatmessage', { chat_id: String(group.id), message_id: '5' }, true);
    await write({ ...rest, key, actor: { address: '192.0.2.8' } } as HistoryEntry);
    expect(await audits()).toMatchObject([
      { actor_kind: 'bot', actor_id: botId, actor_username: 'echo_bot', actor_key_id: null, address: '192.0.2.8' },
    ]);
  });
});

describe('the batch', () => {
  test('written twice, or in other pieces, it makes the same rows', async () => {
    const chat_id = String(group.id);
    const entries = [
      update({ message: message(1) }),
      update({ edited_message: message(1, { text: 'edited', edit_date: dateS + 1 }) }),
      update({ callback_query: { id: '4', from: ada, message: message(8), data: 'yes', chat_instance: '1' } }),
      call('sendMessage', { chat_id }, message(2, { from: self })),
      call('copyMessage', { chat_id, from_chat_id: chat_id, message_id: '1' }, { message_id: 3 }),
      call('deleteMessage', { chat_id, message_id: '2' }, true),
      call('banChatMember', { chat_id, user_id: '77' }, true),
      update({ message: { message_id: 'x' } }),
    ];
    await write(...entries);
    const once = await everything();
    await write(...entries);
    for (const entry of entries) await write(entry);
    expect(await everything()).toEqual(once);
    expect(once.rows).toHaveLength(4);
    expect(once.chats).toMatchObject([{ message_count: 3 }]);
    expect(once.audits).toHaveLength(2);
    expect(once.letters).toHaveLength(1);
  });

  test('what cannot be kept becomes a dead letter, and its neighbours are written', async () => {
    const longWord = 'x'.repeat(3000);
    const entries = [
      update({ message: message(1) }),
      update({ message: message(2, { message_id: 1.5 }) }),
      // The id is longer than an index entry can be, so Postgres itself refuses the statement.
      update({ business_message: message(3, { business_connection_id: randomBytes(20_000).toString('hex') }) }),
      update({ message: message(4, { text: `a\u0000b ${'\ud800'}` }) }),
      update({ message: message(5, { text: longWord }) }),
      call('sendMessage', {}, { ...message(6), chat: {} }),
      update({ message: message(7) }),
    ];
    await write(...entries);
    expect((await rows()).map((row) => row.id)).toEqual([1, 4, 5, 7]);
    expect((await rows())[1]?.text).toBe('ab \ufffd');
    const letters = await deadLetters();
    expect(letters.map((letter) => [letter.reader, letter.attempts, letter.capture_key]).sort()).toEqual(
      [entries[1], entries[2], entries[5]].map((entry) => ['history', 1, entry?.key]).sort(),
    );
    expect(letters.find((letter) => letter.capture_key === entries[1]?.key)).toMatchObject({
      payload: (entries[1] as { raw: string }).raw,
      update_id: (entries[1] as { updateId: number }).updateId,
    });
  });

  test('an id that would be rounded is never stored as another one', async () => {
    const entry = update({ message: message(1) });
    const raw = (entry as { raw: string }).raw.replace('"message_id":1', '"message_id":9007199254740993');
    await write({ ...entry, raw } as HistoryEntry);
    expect(await rows()).toEqual([]);
    expect(await deadLetters()).toMatchObject([{ payload: raw }]);
  });

  test('dead letters of other readers are kept with their bytes', async () => {
    const raw = '{"update_id":5,"poll":{"id":"1","b":12345678901234567890,"a":"\\u0000"}}';
    const entry: HistoryEntry = {
      ...{ type: 'dead', key: `${botId}:dead`, botId, registrationId: 'g1', atMs, updateId: 5, raw },
      ...{ reader: 'push', exclusive: false },
      failure: {
        ...{ code: 'refused', reason: 'Wrong response from the webhook: 500', attempts: 9, lastStatus: 500 },
        ...{ firstFailedAtMs: atMs - 5000, lastFailedAtMs: atMs, destinations: [] },
      },
    };
    await write(entry, entry);
    expect(await deadLetters()).toMatchObject([
      {
        ...{ reader: 'push', payload: raw, attempts: 9, last_status: 500, update_id: 5, created_at: new Date(atMs) },
        ...{ reason_code: 'refused', first_failed_at: new Date(atMs - 5000), last_failed_at: new Date(atMs) },
      },
    ]);
  });

  test('of a program that is gone, only what it took alone is kept, for the bot; of one that exists everything', async () => {
    const { db } = database;
    const settings = { bot_id: botId, mode: 'push' as const, kinds: '[]', backend_url_sealed: '' };
    const row = await db
      .insertInto('programs')
      .values({ ...settings, name: 'here' })
      .returning('id')
      .execute();
    const here = row[0]!.id;
    const gone = here + 1000;
    const letter = (updateId: number, programId: number, exclusive: boolean): HistoryEntry => ({
      ...{ type: 'dead', key: `${botId}:${updateId}`, botId, registrationId: 'g1', atMs, updateId, raw: '{}' },
      ...{ reader: `program:${programId}`, exclusive },
      failure: {
        ...{ code: 'refused', reason: '500', attempts: 9, lastStatus: 500 },
        ...{ firstFailedAtMs: atMs, lastFailedAtMs: atMs, destinations: [] },
      },
    });
    await write(letter(1, here, true), letter(2, here, false), letter(3, gone, true), letter(4, gone, false));
    const kept = (await deadLetters()).map((one) => [
      one.update_id,
      one.reader,
      one.reason_code,
      one.reason,
      one.exclusive,
    ]);
    const reason = `program ${gone}, which took it alone, was deleted (500)`;
    expect(kept).toEqual([
      [1, `program:${here}`, 'refused', '500', true],
      [2, `program:${here}`, 'refused', '500', false],
      [3, 'push', 'backend_removed', reason, false],
    ]);
    await db.deleteFrom('programs').where('id', '=', here).execute();
  });

  test('entries of unknown bots, of another registration and of bots without history are dropped', async () => {
    const entry = update({ message: message(1) });
    await write({ ...entry, botId: 999_999 }, { ...entry, registrationId: 'g0' });
    await database.db.updateTable('bots').set({ manage_enabled: false }).where('id', '=', botId).execute();
    await write(entry);
    expect(await rows()).toEqual([]);
    expect(await deadLetters()).toEqual([]);
  });

  test('two writers of one bot do not lose or double anything', async () => {
    const batches = Array.from({ length: 8 }, (_, batch) =>
      Array.from({ length: 50 }, (_, index) => {
        const id = ((batch * 37 + index * 7) % 60) + 1;
        return update({ message: message(id, { chat: { ...group, id: -(id % 5) - 1 } }) });
      }),
    );
    await Promise.all(batches.map((batch) => write(...batch)));
    const ids = new Set(batches.flat().map((entry) => JSON.parse((entry as { raw: string }).raw).message.message_id));
    expect(await rows()).toHaveLength(ids.size);
    const counted = (await chats()).reduce((sum, chat) => sum + chat.message_count, 0);
    expect(counted).toBe(ids.size);
  });

  test('a database that is away is said so, and nothing is given up', async () => {
    const away = connectDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', maxConnections: 1 });
    await expect(writeHistory({ db: away, log }, [update({ message: message(1) })])).rejects.toThrow(/ECONNREFUSED/);
    await away.destroy();
  });
});

describe('storeOwnMessage', () => {
  const store = (sent: unknown, of = botId) =>
    storeOwnMessage(database.db, { action: 'send', by: OPERATOR, auditKey: `rest:${of}`, atMs }, of, sent);

  test('stores and returns the row at once, and the captured call later adds nothing', async () => {
    const sent = message(5, { from: self, text: 'sent' });
    const row = await store(sent);
    expect(row).toMatchObject({ bot_id: botId, id: 5, text: 'sent', outgoing: true });
    await write(call('sendMessage', { chat_id: String(group.id) }, sent));
    expect(await rows()).toHaveLength(1);
    expect((await chats())[0]?.message_count).toBe(1);
    expect(await audits()).toMatchObject([{ action: 'send', chat_id: group.id, target_id: 5 }]);
  });

  test('refuses what is no message, and a bot that is gone', async () => {
    await expect(store(true)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(store(message(1), 999_999)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('ephemeral messages', () => {
  const chat_id = String(group.id);
  const sent = (ephemeralId: number, fields: Record<string, unknown> = {}) =>
    call(
      'sendMessage',
      { chat_id },
      message(0, { from: self, ephemeral_message_id: ephemeralId, receiver_user: ada, ...fields }),
    );
  const named = { chat_id, receiver_user_id: '77', ephemeral_message_id: '5' };

  test('each have a row of their own, which their edits and deletions change', async () => {
    await write(sent(5), sent(6));
    const reply_markup = '{"inline_keyboard":[[{"text":"Book","callback_data":"b"}]]}';
    await write(call('editEphemeralMessageText', { ...named, text: 'berth 7', reply_markup }, true));
    expect(await rows()).toMatchObject([
      { text: 'text 0', edit_date: null },
      { text: 'berth 7', edit_date: dateS, details: { buttons: [[{ text: 'Book' }]] } },
    ]);
    const media = { type: 'photo', media: 'AgACAgIAAxkBAAIBY2Zx', caption: 'the berth' };
    await write(
      call('editEphemeralMessageMedia', { ...named, media: JSON.stringify(media) }, true),
      call('editEphemeralMessageReplyMarkup', named, true),
      call('deleteEphemeralMessage', { ...named, ephemeral_message_id: '6' }, true),
    );
    const [gone, edited] = await rows();
    expect(gone!.deleted_at).not.toBeNull();
    expect(edited).toMatchObject({
      ...{ text: 'the berth', media_type: 'photo', file_id: media.media, details: null, deleted_at: null },
    });
    expect((await chats())[0]).toMatchObject({ message_count: 1 });
  });

  test('an edit of one that is not kept, or of no message, stores nothing', async () => {
    await write(
      call('editEphemeralMessageText', { ...named, text: 'who?' }, true),
      call('editEphemeralMessageCaption', { chat_id, caption: 'who?' }, true),
    );
    expect([await rows(), await deadLetters()]).toEqual([[], []]);
  });

  test('a pressed button answers the message that had it', async () => {
    const pressed = message(0, { ephemeral_message_id: 5 });
    await write(sent(5), update({ callback_query: { id: 'q', from: ada, message: pressed, data: 'b' } }));
    const [ephemeral, callback] = (await rows()).toSorted((a, b) => a.id - b.id);
    expect(callback).toMatchObject({ media_type: 'callback', reply_to_message_id: ephemeral!.id });
  });
});

test('what a program sends while a person has taken the chat over answers nobody', async () => {
  const chat = { id: ada.id, type: 'private', first_name: 'Ada' };
  await writeHistory({ db: database.db, log }, [
    update({ message: { message_id: 1, date: dateS, chat, from: ada, text: 'Hello?' } }),
  ]);
  const sent = call('sendmessage', {}, { message_id: 2, date: dateS + 1, chat, from: self, text: 'A reminder' });
  await writeHistory({ db: database.db, log }, [{ ...sent, whileHeld: true } as HistoryEntry]);
  const { db } = database;
  const message = db.selectFrom('messages').select('automatic').where('bot_id', '=', botId).where('id', '=', 2);
  expect(await message.executeTakeFirst()).toEqual({ automatic: { kind: 'held' } });
  const { rows } = await sql`select ${awaits('c')} as awaits from chats c where bot_id = ${botId}`.execute(db);
  expect(rows).toEqual([{ awaits: true }]);
  await writeHistory({ db, log }, [
    call('sendmessage', {}, { message_id: 3, date: dateS + 2, chat, from: self, text: 'After it' }),
  ]);
  const { rows: after } = await sql`select ${awaits('c')} as awaits from chats c where bot_id = ${botId}`.execute(db);
  expect(after).toEqual([{ awaits: false }]);
});

test('the language of an app is that of the last message which said it', async () => {
  const from = (fields: object, at: number) =>
    update({ message: message(at, { date: dateS + at, from: { ...ada, ...fields } }) });
  const known = () =>
    database.db.selectFrom('chat_users').select('language_code').where('bot_id', '=', botId).executeTakeFirst();
  await write(from({ language_code: 'pt-BR' }, 1));
  await write(from({}, 100), from({ first_name: 'Ada B.' }, 200));
  expect(await known()).toEqual({ language_code: 'pt-BR' });
  await write(from({ language_code: 'de' }, 300));
  expect(await known()).toEqual({ language_code: 'de' });
});

test('a message that an account sent has an audit entry, and one of a broadcast has none', async () => {
  const actor = { accountId: 1, username: 'grace' };
  const sent = (id: number, of: object) =>
    ({
      ...call('sendmessage', {}, { message_id: id, date: dateS, chat: group, from: self, text: 'Hi' }),
      actor: of,
    }) as HistoryEntry;
  await write(sent(1, { ...actor, automatic: { kind: 'broadcast', id: 3, name: 'News' } }), sent(2, actor));
  expect(await audits()).toMatchObject([{ action: 'send', target_id: 2, actor_username: 'grace' }]);
});
