import { readSettings } from '@flotilla/runtime/env.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import type { MessageDetails } from '@flotilla/telegram/message-details.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { loadUpdateSamples, type UpdateSample } from '@flotilla/testing/update-samples/load-update-samples.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { HistoryEntry } from './stream/history-codec.ts';
import { writeHistory } from './write-history.ts';

const { UPDATE_CORPUS } = readSettings(z.object({ UPDATE_CORPUS: z.string().optional() }));
const log = createLogger({ name: 'test', level: 'silent' });
const atMs = 1_790_100_000_000;
const samples = await loadUpdateSamples(UPDATE_CORPUS);

let database: TestDatabase;
let botIds: number[];

beforeAll(async () => {
  database = await testDatabase();
  // Each sample has a bot of its own, so that samples with the same ids do not collide.
  const bots = samples.map((sample, index) => ({
    telegram_id: 5_550_001_111,
    token_sealed: 'sealed',
    token_hash: `hash-${index}`,
    name: sample.name,
    username: 'harbour_sample_bot',
    source: 'web' as const,
    allowed_updates: null,
    registration_id: 'g',
    revision: index,
  }));
  const inserted = await database.db.insertInto('bots').values(bots).returning('id').execute();
  botIds = inserted.map((bot) => bot.id);
  const entries = samples.map((sample, index) => entryOf(sample, botIds[index] ?? 0));
  await writeHistory({ db: database.db, log }, entries);
  await writeHistory({ db: database.db, log }, entries);
});

afterAll(async () => {
  await database.drop();
});

function entryOf(sample: UpdateSample, botId: number): HistoryEntry {
  const update = sliceUpdate(sample.text);
  if (update === null) throw new Error(`${sample.name} is no update`);
  return {
    type: 'update',
    key: `0:${botId}-0`,
    botId,
    registrationId: 'g',
    atMs,
    updateId: update.updateId,
    raw: update.raw,
  };
}

async function shown(name: string) {
  const botId = botIds[samples.findIndex((sample) => sample.name === name)] ?? 0;
  const { db } = database;
  return {
    messages: await db.selectFrom('messages').selectAll().where('bot_id', '=', botId).execute(),
    chats: await db.selectFrom('chats').selectAll().where('bot_id', '=', botId).orderBy('id').execute(),
    people: await db.selectFrom('chat_users').selectAll().where('bot_id', '=', botId).execute(),
  };
}

interface SampleSender {
  id: number;
  username?: string;
}

interface SampleMessage {
  message_id: number;
  business_connection_id?: string;
  chat: { id: number; type: string; title?: string; is_forum?: boolean };
  from?: SampleSender;
  sender_chat?: SampleSender;
  date: number;
  edit_date?: number;
  text?: string;
  caption?: string;
  animation?: unknown;
  is_topic_message?: boolean;
  reply_to_message?: { message_id: number };
  entities?: object[];
  caption_entities?: object[];
  message_thread_id?: number;
  media_group_id?: string;
  reply_markup?: { inline_keyboard?: object[][] };
  forward_origin?: { type: string; sender_user?: SampleSender; sender_user_name?: string };
  document?: { file_name?: string; file_size?: number };
}

interface SampleCallback {
  from: SampleSender;
  message?: SampleMessage | null;
  data?: string;
  game_short_name?: string;
}

const MESSAGE_KINDS =
  /^(message|edited_message|channel_post|edited_channel_post|guest_message|(edited_)?business_message)$/;
const DOCUMENT = { file_name: 'berth plan 7.pdf', mime_type: 'application/pdf' };
const MEDIA = ['photo', 'video', 'animation', 'sticker', 'voice', 'audio', 'document', 'video_note'];

const isOfTopic = ({ is_topic_message, message_thread_id, reply_to_message }: SampleMessage) =>
  is_topic_message === true && reply_to_message?.message_id === message_thread_id;

/** Messages of General name no topic. */
const topicOfSample = ({ is_topic_message, message_thread_id, chat }: SampleMessage) =>
  is_topic_message ? message_thread_id : chat.is_forum ? 1 : undefined;

test('no sample becomes a dead letter', async () => {
  const letters = await database.db.selectFrom('dead_letters').select(['reason', 'payload']).execute();
  expect(letters).toEqual([]);
});

test.each(samples.filter((sample) => MESSAGE_KINDS.test(sample.kind)).map((sample) => [sample.name, sample] as const))(
  'the message of %s is kept as it is',
  async (name, sample) => {
    const message = (JSON.parse(sample.text) as Record<string, SampleMessage>)[sample.kind] as SampleMessage;
    const { messages, chats, people } = await shown(name);
    const media = MEDIA.filter((field) => field in message && !(field === 'document' && message.animation));
    const sender = message.sender_chat ?? message.from;
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({
      id: message.message_id,
      chat_id: message.chat.id,
      business_connection_id: message.business_connection_id ?? '',
      date: message.date,
      user_id: sender?.id ?? null,
      username: sender?.username ?? null,
      // A message of a topic that answers none names the message that made the topic.
      reply_to_message_id: isOfTopic(message) ? null : (message.reply_to_message?.message_id ?? null),
      edit_date: message.edit_date ?? (sample.kind.startsWith('edited') ? atMs / 1000 : null),
      deleted_at: null,
      ...(media.length > 0 ? { media_type: media[0] } : {}),
      ...('text' in message || 'caption' in message ? { text: printable(message.text ?? message.caption ?? '') } : {}),
    });
    const chat = chats.find((row) => row.id === message.chat.id);
    expect(chat).toMatchObject({ type: message.chat.type, title: message.chat.title ?? null, message_count: 1 });
    expect(people.filter((row) => row.chat_id === message.chat.id).map((row) => row.user_id)).toEqual(
      message.from && !message.sender_chat ? [message.from.id] : [],
    );
  },
);

test.each(samples.filter((sample) => MESSAGE_KINDS.test(sample.kind)).map((sample) => [sample.name, sample] as const))(
  'entities, buttons, thread, album and origin of %s are kept as they are',
  async (name, sample) => {
    const message = (JSON.parse(sample.text) as Record<string, SampleMessage>)[sample.kind] as SampleMessage;
    const { messages } = await shown(name);
    const { entities, buttons, thread_id, media_group_id, forward_origin } = {
      ...messages[0]?.details,
    } as MessageDetails;
    expect({ entities, buttons, thread_id, media_group_id }).toEqual({
      entities: message.entities ?? message.caption_entities,
      buttons: message.reply_markup?.inline_keyboard,
      thread_id: topicOfSample(message),
      media_group_id: message.media_group_id,
    });
    expect([forward_origin?.type, forward_origin?.id, forward_origin?.name]).toEqual([
      message.forward_origin?.type,
      message.forward_origin?.sender_user?.id,
      message.forward_origin?.sender_user_name ??
        (message.forward_origin === undefined ? undefined : expect.anything()),
    ]);
  },
);

// The text as Postgres can store it: no NUL, and no half of a surrogate pair.
function printable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

test.each([
  ['photo', { media_type: 'photo', file_id: 'photo-l', text: 'The new crane' }],
  ['live_photo', { media_type: 'photo', file_id: 'live-1', text: 'moving' }],
  ['video', { media_type: 'video', file_id: 'video-1', text: null }],
  ['animation', { media_type: 'animation', file_id: 'anim-1' }],
  ['sticker', { media_type: 'sticker', file_id: 'sticker-1' }],
  ['voice', { media_type: 'voice', file_id: 'voice-1' }],
  ['audio', { media_type: 'audio', file_id: 'audio-1', text: 'for the watch' }],
  ['document', { media_type: 'document', file_id: 'doc-1', text: 'plan', details: DOCUMENT }],
  ['album_photo', { details: { media_group_id: '13790012345678901' } }],
  ['forwarded', { details: { forward_origin: { type: 'hidden_user', name: 'Someone', date: 1_789_990_000 } } }],
  ['video_note', { media_type: 'video_note', file_id: 'note-1' }],
  ['paid_media', { media_type: 'video', file_id: 'paid-video-1', text: 'behind the wall' }],
  ['location', { media_type: null, file_id: null, service: 'location', text: 'Location: 54.3215, 10.1349' }],
  ['venue', { service: 'venue', text: 'Venue: Lock office, Pier 2' }],
  ['contact', { service: 'contact', text: 'Contact: Pilot, +490000000' }],
  ['poll_message', { service: 'poll', text: 'Poll: Who sails?' }],
  ['dice', { service: 'dice', text: 'Dice 🎲: 6' }],
  ['game', { media_type: null, service: 'game', text: 'Game: Docking, Mind the fenders' }],
  ['new_chat_members', { service: 'joined', text: 'Joined: Ben ⚓, Harbour Bot' }],
  ['left_chat_member', { service: 'left', text: 'Left: Ben ⚓' }],
  ['new_chat_photo', { media_type: null, file_id: null, service: 'photo_changed', text: 'Photo changed' }],
  ['pinned_message', { service: 'pinned', text: 'Pinned: Who sails?' }],
  ['video_chat_started', { service: 'video_chat_started', text: 'Video chat started' }],
  ['rich_message', { media_type: null, service: null, text: 'Tides\nhigh at 06:40\nMon\nTue' }],
  [
    'anonymous_admin',
    { user_id: -1_002_100_200_300, username: 'quay_seven', first_name: 'Quay 7', text: 'Quiet, please' },
  ],
  [
    'channel_post',
    { user_id: -1_002_100_200_302, username: 'tide_tables', first_name: 'Tide tables', outgoing: false },
  ],
  ['business_message:by_bot', { business_connection_id: 'Xy12-business', outgoing: true }],
  ['escapes', { text: 'A/\b\f\té😀 \u2028 "q" \\ end' }],
  ['escaped_names', { id: 506, text: 'escaped names' }],
  ['lone_surrogate', { text: 'half \ufffd and \ufffd half' }],
  ['nul', { text: 'beforeafter' }],
  ['duplicate_names', { text: 'second' }],
  ['brackets_in_text', { text: '}]}",{"update_id":1,[\\' }],
])('%s shows its content', async (name, content) => {
  expect((await shown(name)).messages).toMatchObject([content]);
});

test.each([
  [
    'widget_query',
    { chat_id: 700_100_200, user_id: 700_100_200, reply_to_message_id: 206 },
    { service: 'widget_query', text: 'Widget tapped: berth:7' },
  ],
  [
    'kind_to_come',
    { chat_id: -4_100_200_300, user_id: null, reply_to_message_id: null },
    { service: 'hologram', text: 'hologram: {"id":"1","beam":[]}' },
  ],
  [
    'kind_to_come_of_message',
    { chat_id: 700_100_200, user_id: 700_100_200, reply_to_message_id: 513 },
    { service: 'hologram_query', text: String.raw`hologram_query: {"id":"2","beam":"a\u0000\ud83d"}` },
  ],
])('%s is an event of its chat', async (name, place, content) => {
  const { messages } = await shown(name);
  const event = { media_type: null, outgoing: false, date: atMs / 1000 };
  expect(messages).toMatchObject([{ ...place, ...content, ...event }]);
  expect(messages[0]?.id).toBeLessThan(0);
});

test('no row is blank', async () => {
  const { db } = database;
  const rows = await db.selectFrom('messages').select(['bot_id', 'text', 'media_type', 'service']).execute();
  const blank = rows.filter((row) => !row.text && row.media_type === null);
  expect(rows.length).toBeGreaterThan(samples.length / 2);
  expect(blank.map((row) => samples[botIds.indexOf(row.bot_id)]?.name)).toEqual([]);
});

test('a ban is a row in the name of who did it', async () => {
  const { messages, chats } = await shown('chat_member');
  const ban = { service: 'ban', text: 'Banned: Ben ⚓', media_type: null, user_id: 700_100_200, outgoing: false };
  expect(messages).toMatchObject([{ ...ban, chat_id: -1_002_100_200_300, date: 1_790_000_601 }]);
  expect(messages[0]?.id).toBeLessThan(0);
  expect(chats).toMatchObject([{ type: 'supergroup', title: 'Quay 7', message_count: 1 }]);
});

test.each(samples.filter((sample) => sample.kind === 'callback_query').map((sample) => [sample.name, sample] as const))(
  'the callback of %s is a row when it has a chat',
  async (name, sample) => {
    const update = JSON.parse(sample.text) as { update_id: number; callback_query: SampleCallback };
    const callback = update.callback_query;
    const { messages, people } = await shown(name);
    expect(people).toEqual([]);
    if (!callback.message) return expect(messages).toEqual([]);
    expect(messages).toMatchObject([
      {
        id: update.update_id - 2 ** 32,
        chat_id: callback.message.chat.id,
        user_id: callback.from.id,
        text: callback.data ?? callback.game_short_name,
        media_type: 'callback',
        reply_to_message_id: callback.message.message_id,
        date: atMs / 1000,
      },
    ]);
  },
);

test.each([
  ['my_chat_member', -1_002_100_200_310, 'supergroup', 'Just joined'],
  ['chat_join_request', -1_002_100_200_300, 'supergroup', 'Quay 7'],
  ['chat_boost', -1_002_100_200_302, 'channel', 'Tide tables'],
  ['removed_chat_boost', -1_002_100_200_302, 'channel', 'Tide tables'],
  ['message_reaction', -1_002_100_200_300, 'supergroup', 'Quay 7'],
  ['message_reaction_count', -1_002_100_200_302, 'channel', 'Tide tables'],
  ['deleted_business_messages', 700_100_200, 'private', null],
])('%s makes its chat known, and no message', async (name, id, type, title) => {
  const { messages, chats } = await shown(name);
  expect(messages).toEqual([]);
  expect(chats).toMatchObject([{ id, type, title, message_count: 0 }]);
});

test.each([
  ['inline_query'],
  ['chosen_inline_result'],
  ['callback_query:inline'],
  ['shipping_query'],
  ['pre_checkout_query'],
  ['poll'],
  ['poll_answer'],
  ['business_connection'],
  ['purchased_paid_media'],
  ['managed_bot'],
  ['kind_to_come_without_chat'],
])('%s belongs to no chat and leaves nothing', async (name) => {
  expect(await shown(name)).toEqual({ messages: [], chats: [], people: [] });
});

test('a move is known under both ids', async () => {
  const { chats } = await shown('migrate_to_chat_id');
  expect(chats).toMatchObject([
    { id: -1_002_100_200_399, type: 'supergroup', title: 'Grown up' },
    { id: -4_100_200_399, type: 'group' },
  ]);
});
