import type { Database } from '@flotilla/database/connect.ts';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import type { ShownBot } from './bots.ts';
import { ADA } from './conversations.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BY = { accountId: 1, username: 'admin' };

/** Broadcasts: one halfway, one done, one for tomorrow. Returns the id of the one that goes on. */
export async function storeBroadcasts(db: Database, store: ShownBot, news: ShownBot): Promise<number> {
  const at = (ms: number) => new Date(Date.now() + ms);
  const audience = { chat_types: ['private'], tags: ['regular'], exclude_blocked: true };
  const params = {
    text: '<b>Spring sale</b> until Sunday: 20% off all running shoes.\n\n<a href="https://north-store.example/spring">See what is there</a>',
    parse_mode: 'HTML',
    reply_markup: { inline_keyboard: [[{ text: 'Open the store', url: 'https://north-store.example/spring' }]] },
  };
  const common = { method: 'sendMessage', messages: 1, params, audience, created_by: BY, made: true };
  const add = async (fields: object) =>
    (
      await db
        .insertInto('broadcasts')
        .values({ ...common, ...fields } as never)
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id;
  const none = { failed: 0, blocked: 0, in_doubt: 0, cancelled: 0 };
  await add({
    ...{
      bot_id: news.id,
      name: 'Весенний выпуск',
      state: 'done',
      total: 8_214,
      sent: 8_120,
      ...none,
      blocked: 91,
      failed: 3,
    },
    ...{ created_at: at(-26 * HOUR_MS), started_at: at(-26 * HOUR_MS), ended_at: at(-25.9 * HOUR_MS) },
  });
  await add({
    ...{ bot_id: news.id, name: 'Saturday edition', state: 'scheduled', total: 0, sent: 0, ...none, made: false },
    ...{ send_at: at(16 * HOUR_MS), created_at: at(-2 * HOUR_MS) },
  });
  const id = await add({
    ...{ bot_id: store.id, name: 'Spring sale', state: 'running', total: 12_400, sent: 6_842, ...none },
    ...{ blocked: 118, failed: 4, in_doubt: 1, created_at: at(-8 * MINUTE_MS), started_at: at(-6 * MINUTE_MS) },
  });
  const failures = [
    ...Array.from({ length: 118 }, () => ({ error_code: 403, error: 'Forbidden: bot was blocked by the user' })),
    ...Array.from({ length: 3 }, () => ({ error_code: 400, error: 'Bad Request: chat not found' })),
    { error_code: 403, error: 'Forbidden: user is deactivated' },
  ];
  const entries = failures.map((failure, at) => ({
    ...{
      bot_id: store.id,
      broadcast_id: id,
      chat_id: 70_000 + at,
      method: 'sendMessage',
      params,
      priority: 'bulk',
    },
    ...{ state: 'failed', settled_at: new Date(), created_by: BY, attempts: 1, ...failure },
  }));
  await db
    .insertInto('outbox')
    .values(entries as never)
    .execute();
  return id;
}

const NEWEST: [priority: string, state: string, minutes: number, text: string, more?: object][] = [
  ['critical', 'sent', -52, 'Your code is 391 204'],
  ['normal', 'sent', -45, 'Order 4395 is on its way'],
  [
    'normal',
    'failed',
    -41,
    'Order 4377 waits for you',
    { error_code: 403, error: 'Forbidden: bot was blocked by the user' },
  ],
  ['normal', 'sent', -30, 'Order 4401 is on its way'],
  ['normal', 'in_doubt', -24, 'Your refund for order 4312 was sent', { error: 'The answer was lost' }],
  ['bulk', 'expired', -20, 'The class at 18:00 has a free place'],
  ['normal', 'sent', -12, 'Order 4405 was handed to the courier'],
  ['critical', 'sent', -4, 'Your code is 118 067'],
  [
    'normal',
    'queued',
    0,
    'Order 4410 is on its way',
    { error_code: 429, error: 'Too Many Requests: retry after 1800', attempts: 1 },
  ],
  ['normal', 'scheduled', 95, 'Your courier comes between 17 and 19'],
  ['normal', 'scheduled', 960, 'How do you like your new shoes?'],
];

/** One entry of each kind in the outbox of the support, to the chat of the pictures. */
export async function storeOutbox(db: Database, bot: ShownBot): Promise<void> {
  for (const [priority, state, minutes, text, more = {}] of NEWEST) {
    const at = new Date(Date.now() + minutes * MINUTE_MS);
    const settled = ['sent', 'failed', 'in_doubt', 'expired'].includes(state);
    const waits = state === 'queued' ? { next_attempt_at: new Date(Date.now() + 30 * MINUTE_MS) } : {};
    const entry = {
      ...{ bot_id: bot.id, chat_id: ADA, method: 'sendMessage', params: { chat_id: ADA, text }, priority, state },
      ...{ created_by: BY, created_at: settled ? at : new Date(), attempts: settled ? 1 : 0, ...waits },
      ...(settled ? { settled_at: at } : {}),
      ...(state === 'scheduled' ? { send_at: at } : {}),
      ...(state === 'sent' ? { message_id: 2, result: { message_id: 2 } } : {}),
      ...more,
    };
    await db
      .insertInto('outbox')
      .values(entry as never)
      .execute();
  }
}

const LETTERS: [status: number | null, text: string, count: number][] = [
  [502, 'Wrong response from the webhook: 502 Bad Gateway', 14],
  [413, 'Wrong response from the webhook: 413 Payload Too Large', 1],
  [400, 'Wrong response from the webhook: 400 Bad Request', 3],
  [null, 'Read timeout expired', 4],
];
const SAID = [
  'On my way to Dock Street',
  'Parcel 8841 delivered',
  'Nobody opens',
  'Need a second pair of hands',
  'Van is full',
];

/** Updates that backends did not take, of several bots. */
export async function storeDeadLetters(db: Database, bots: readonly ShownBot[]): Promise<void> {
  let update = 381_400;
  const rows = LETTERS.flatMap(([status, reason, count], kind) =>
    Array.from({ length: count }, (_, at) => {
      const bot = bots[kind % bots.length]!;
      update += 7;
      const failed = new Date(Date.now() - (count - at) * 4 * MINUTE_MS - kind * 50 * MINUTE_MS);
      const chat = { id: 9_400 + (at % 6), type: 'private', first_name: 'Nils' };
      const message = { message_id: at + 1, date: 1, chat, from: chat, text: SAID[at % SAID.length] };
      return {
        ...{
          bot_id: bot.id,
          reader: 'push',
          update_id: update,
          payload: JSON.stringify({ update_id: update, message }),
        },
        ...{ reason, reason_code: status === null ? 'timed_out' : 'refused', attempts: status === null ? 6 : 9 },
        ...{ last_status: status, response_excerpt: status === 502 ? '<h1>502 Bad Gateway</h1>' : '' },
        ...{ first_failed_at: new Date(failed.getTime() - 20 * MINUTE_MS), last_failed_at: failed, created_at: failed },
      };
    }),
  );
  rows.sort((one, two) => one.last_failed_at.getTime() - two.last_failed_at.getTime());
  await db
    .insertInto('dead_letters')
    .values(rows as never)
    .execute();
}

/** Events of the last day, beside those that the processes notice by themselves. */
export async function storeEvents(db: Database, botOf: (key: string) => ShownBot): Promise<void> {
  const rows: [kind: string, key: string, minutesAgo: number, text: string][] = [
    ['bot.added', 'contest', 1_300, 'Added by admin'],
    ['backend.failing', 'sever_dostavka', 640, 'Wrong response from the webhook: 503 Service Unavailable'],
    ['backend.recovered', 'sever_dostavka', 633, 'The backend takes updates again'],
    ['poller.silent', 'deploys', 410, 'Updates wait, and no program is polling; 12 wait'],
    ['poller.back', 'deploys', 402, 'Somebody polls again'],
    ['chat.held', 'north_support', 120, 'Anna took the chat with Tom Okafor over'],
  ];
  await db
    .insertInto('events')
    .values(
      rows.map(([kind, key, minutesAgo, text]) => ({
        ...{ kind, bot_id: botOf(key).id, text, at: new Date(Date.now() - minutesAgo * MINUTE_MS) },
      })) as never,
    )
    .execute();
}

/** The support bot lets the router choose among others, and two rules act before it. */
export async function addRules(fleet: Fleet, botOf: (key: string) => ShownBot): Promise<void> {
  const source = { source_bot_id: botOf('north_store').id };
  const add = (rule: object) => fleet.rest('/api/routes/add', { ...source, condition_value: '', ...rule });
  await add({
    condition_type: 'keyword',
    condition_value: 'refund',
    action: 'copy',
    target_bot_id: botOf('north_billing').id,
    target_chat_id: 0,
    description: 'Refunds go to billing at once',
  });
  await add({
    condition_type: 'text',
    condition_value: '(?i)speak to (a|the) (person|human)',
    action: 'hold',
    action_minutes: 60,
    description: 'Who asks for a person gets one',
  });
  await add({ condition_type: 'llm', action: 'copy', target_bot_id: 0, target_chat_id: 0 });
}
