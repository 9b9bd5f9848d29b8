import { describe, expect, test } from '@jest/globals';
import { guessChatType, isMessage, readAuthorFacts, readMessageFacts } from './message-facts.ts';

const chat = { id: -1001234567890, type: 'supergroup', title: 'Harbour' };
const from = { id: 77, is_bot: false, first_name: 'Ada', username: 'ada' };
const base = { message_id: 5, date: 1_780_000_000, chat, from };

describe('readMessageFacts', () => {
  test('reads who wrote what, where and when', () => {
    const facts = readMessageFacts({
      ...base,
      text: 'hi',
      edit_date: 1_780_000_009,
      reply_to_message: { message_id: 4 },
    });
    expect(facts).toMatchObject({
      id: 5,
      business_connection_id: '',
      chat: { id: -1001234567890, type: 'supergroup', title: 'Harbour' },
      sender: {
        id: 77,
        username: 'ada',
        first_name: 'Ada',
        last_name: null,
        is_bot: false,
        language_code: null,
        isChat: false,
      },
      dateS: 1_780_000_000,
      editDateS: 1_780_000_009,
      text: 'hi',
      media_type: null,
      reply_to_message_id: 4,
    });
  });

  test('in a topic, the message that made it is answered by none', () => {
    const inTopic = { ...base, message_thread_id: 3, is_topic_message: true };
    const head = { message_id: 3, forum_topic_created: { name: 'News', icon_color: 1 } };
    expect(readMessageFacts({ ...inTopic, reply_to_message: head }).reply_to_message_id).toBeNull();
    expect(readMessageFacts({ ...inTopic, reply_to_message: { message_id: 4 } }).reply_to_message_id).toBe(4);
    // A thread of answers in a group without topics.
    expect(
      readMessageFacts({ ...base, message_thread_id: 3, reply_to_message: { message_id: 3 } }).reply_to_message_id,
    ).toBe(3);
  });

  test('a channel speaks as itself', () => {
    const { from: _, ...post } = {
      ...base,
      sender_chat: { id: -1009, type: 'channel', title: 'News', username: 'news' },
    };
    expect(readMessageFacts(post).sender).toEqual(
      expect.objectContaining({ id: -1009, username: 'news', first_name: 'News', isChat: true }),
    );
  });

  const group = base.chat;
  const standIn = (id: number) => ({ id, is_bot: true, first_name: 'Stand-in', username: 'GroupAnonymousBot' });
  const channel = { id: -1009, type: 'channel', title: 'News', username: 'news' };

  test.each([
    ['an anonymous admin', 1_087_968_824, { ...group, title: 'Harbour' }, { id: group.id, first_name: 'Harbour' }],
    ['a channel', 136_817_688, channel, { id: -1009, first_name: 'News', username: 'news' }],
    ['a linked channel', 777_000, channel, { id: -1009, first_name: 'News', username: 'news' }],
  ])('%s speaks as a chat, not as the platform’s stand-in', (_, from, sender_chat, shown) => {
    const { sender } = readMessageFacts({ ...base, from: standIn(from), sender_chat });
    expect(sender).toMatchObject({ ...shown, is_bot: false, isChat: true });
  });

  test('whom an anonymous admin banned, the chat banned', () => {
    const chat = { id: -5, type: 'supergroup', title: 'Harbour' };
    expect(readAuthorFacts({ chat, from: standIn(1_087_968_824) })).toMatchObject({ id: -5, isChat: true });
    expect(readAuthorFacts({ chat, from: { id: 7, is_bot: false, first_name: 'Ada' } })).toMatchObject({ id: 7 });
    expect(readAuthorFacts({ chat })).toBe(null);
  });

  test.each([
    [
      'photo',
      {
        photo: [
          { file_id: 's', width: 9, height: 9 },
          { file_id: 'l', width: 90, height: 90 },
        ],
      },
      'l',
    ],
    ['animation', { animation: { file_id: 'a' }, document: { file_id: 'd' } }, 'a'],
    ['video', { video: { file_id: 'v' } }, 'v'],
    ['sticker', { sticker: { file_id: 'st' } }, 'st'],
    ['voice', { voice: { file_id: 'vo' } }, 'vo'],
    ['audio', { audio: { file_id: 'au' } }, 'au'],
    ['document', { document: { file_id: 'd' } }, 'd'],
    ['video_note', { video_note: { file_id: 'vn' } }, 'vn'],
    ['photo', { paid_media: { paid_media: [{ type: 'preview' }, { type: 'photo', photo: [{ file_id: 'p' }] }] } }, 'p'],
  ])('a %s has its file', (mediaType, content, fileId) => {
    expect(readMessageFacts({ ...base, ...content, caption: 'c' })).toMatchObject({
      media_type: mediaType,
      file_id: fileId,
      text: 'c',
    });
  });

  test('a rich message is read as its plain text', () => {
    const rich_message = {
      blocks: [
        { type: 'heading', text: 'Tides', size: 2 },
        { type: 'paragraph', text: ['high at ', { type: 'bold', text: ['six ', { type: 'italic', text: 'sharp' }] }] },
        { type: 'table', cells: [[{ text: 'Mon' }, { text: '06:00' }]] },
      ],
    };
    expect(readMessageFacts({ ...base, rich_message }).text).toBe('Tides\nhigh at six sharp\nMon\n06:00');
  });

  test('NUL characters are left out', () => {
    expect(readMessageFacts({ ...base, text: 'a\u0000b' }).text).toBe('ab');
  });

  test.each([
    ['a message without an id', { ...base, message_id: undefined }],
    [
      'an id that parsing has rounded',
      JSON.parse(JSON.stringify({ ...base, message_id: 0 }).replace('"message_id":0', '"message_id":9007199254740993')),
    ],
    ['a chat id that is text', { ...base, chat: { id: '5', type: 'private' } }],
    ['a fractional user id', { ...base, from: { id: 1.5 } }],
  ])('refuses %s', (_, message) => {
    expect(() => readMessageFacts(message)).toThrow(/integer|missing/);
  });
});

test('a Message is told from other results', () => {
  expect(isMessage(base)).toBe(true);
  expect([true, null, [], { message_id: 5 }, { id: '1', question: '?' }].some(isMessage)).toBe(false);
});

test('the kind of a chat is guessed from its id', () => {
  expect([5, -5, -1_001_234_567_890].map(guessChatType)).toEqual(['private', 'group', 'supergroup']);
});

describe('the details of a message', () => {
  const details = (fields: object) => readMessageFacts({ ...base, ...fields }).details;

  test('name the small picture of a video, and the type and the emoji of a sticker', () => {
    const video = { file_id: 'v', thumbnail: { file_id: 't', width: 90, height: 90 } };
    expect(details({ video })).toEqual({ thumbnail_file_id: 't' });
    const sticker = { file_id: 's', emoji: '🐳', is_animated: true, is_video: false };
    expect(details({ sticker })).toEqual({ emoji: '🐳', mime_type: 'application/x-tgsticker' });
    expect(details({ sticker: { file_id: 's', is_video: true } })).toEqual({ mime_type: 'video/webm' });
  });

  test('tell a poll within bounds, and none that has no id or no question', () => {
    const options = [{ text: 'Yes', voter_count: 2, persistent_id: '0' }, 'not an option', { voter_count: 'many' }];
    const poll = { id: '7', question: 'Ready?', total_voter_count: 2, is_anonymous: false, options };
    expect(details({ poll })).toEqual({
      poll: {
        ...{ id: '7', question: 'Ready?', type: 'regular', is_closed: false, is_anonymous: false },
        ...{ allows_multiple_answers: false, total_voter_count: 2 },
        options: [
          { text: 'Yes', voter_count: 2 },
          { text: '', voter_count: 0 },
        ],
      },
    });
    const many = { ...poll, options: Array.from({ length: 500 }, () => ({ text: 'x', voter_count: 0 })) };
    expect(details({ poll: many })?.poll?.options).toHaveLength(20);
    expect([details({ poll: { id: '7' } }), details({ poll: { question: 'Ready?' } })]).toEqual([null, null]);
  });

  test('are null for a plain text', () => {
    expect(details({ text: 'hi' })).toBeNull();
  });

  test('keep what the platform says of entities and buttons, fields to come included', () => {
    const entities = [
      { type: 'text_mention', offset: 0, length: 2, user: { id: 7, is_bot: false, first_name: 'Ada' } },
      { type: 'date_to_come', offset: 3, length: 4, unix_time: 1_780_000_000 },
    ];
    const inline_keyboard = [
      [
        { text: 'Pay', pay: true },
        { text: 'Open', web_app: { url: 'https://shop.example' } },
      ],
      [{ text: 'Next', callback_data: 'page:2', style: 'primary' }],
    ];
    expect(details({ text: 'hi then', entities, reply_markup: { inline_keyboard } })).toEqual({
      entities,
      buttons: inline_keyboard,
    });
  });

  test.each([
    ['no list', { entities: { length: 1 }, reply_markup: { inline_keyboard: 'x' } }],
    ['no objects', { entities: [null, 1, 'bold', []], reply_markup: { inline_keyboard: [null, [null, 1], []] } }],
    ['without their own fields', { entities: [{ type: 'bold' }, { type: 'bold', offset: -1, length: 1 }] }],
  ])('leave out entities and buttons that are %s', (_, fields) => {
    expect(details({ text: 'hi', ...fields })).toBeNull();
  });

  test('have at most 16 KiB of entities and buttons, the first ones', () => {
    const link = (at: number) => ({
      type: 'text_link',
      offset: at,
      length: 1,
      url: `https://a.example/${'x'.repeat(900)}`,
    });
    const entities = Array.from({ length: 100 }, (_, at) => link(at));
    const inline_keyboard = Array.from({ length: 100 }, (_, at) => [
      { text: `Button ${at}`, callback_data: 'd'.repeat(400) },
    ]);
    const kept = details({ text: 'x'.repeat(100), entities, reply_markup: { inline_keyboard } });
    const size = JSON.stringify(kept?.entities).length + JSON.stringify(kept?.buttons).length;
    expect([size > 14_000, size <= 16_384]).toEqual([true, true]);
    expect(kept?.entities).toEqual(entities.slice(0, kept?.entities?.length));
    expect(kept?.buttons).toEqual(inline_keyboard.slice(0, kept?.buttons?.length));
    const full = details({ text: 'x'.repeat(100), entities })?.entities;
    expect(full?.length).toBeGreaterThan(kept?.entities?.length ?? 100);
  });

  test('have the words of a quote, the names of music, and the topic of direct messages', () => {
    const given = { quote: { text: 'at noon', position: 0 }, direct_messages_topic: { topic_id: 9, user: {} } };
    expect(details({ text: 'why?', ...given })).toEqual({ quote: 'at noon', direct_messages_topic_id: 9 });
    expect(details({ audio: { file_id: 'a', performer: 'Ada', title: 'Tides' } })).toMatchObject({
      performer: 'Ada',
      title: 'Tides',
    });
  });

  test('say how large a medium is, and who wrote a forwarded message', () => {
    const video = {
      file_id: 'v',
      file_name: 'tide.mp4',
      mime_type: 'video/mp4',
      file_size: 9,
      width: 4,
      height: 3,
      duration: 2,
    };
    const forward_origin = { type: 'channel', date: 5, chat: { id: -1009, title: 'News' }, message_id: 8 };
    expect(details({ video, forward_origin })).toEqual({
      ...{ file_name: 'tide.mp4', mime_type: 'video/mp4', file_size: 9, width: 4, height: 3, duration: 2 },
      forward_origin: { type: 'channel', name: 'News', id: -1009, message_id: 8, date: 5 },
    });
    expect(details({ video_note: { file_id: 'n', length: 240, duration: 3 } })).toEqual({
      ...{ width: 240, height: 240, duration: 3 },
    });
  });
});

test('a text under a thousand levels of a rich message is read at once', () => {
  const innermost: object = { text: 'x'.repeat(900_000) };
  const blocks = Array.from({ length: 800 }).reduce<object>((inner) => ({ title: 'a', blocks: [inner] }), innermost);
  const startedMs = performance.now();
  const { text } = readMessageFacts({ ...base, rich_message: { blocks: [blocks] } });
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect(text?.length).toBe(900_000 + 800 * 2);
});
