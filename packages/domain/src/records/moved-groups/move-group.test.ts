import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { storedBot } from '@flotilla/testing/stored-bot.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type BotRow, botStore } from '../../fleet/bots/bot-store.ts';
import { apiKeyStore } from '../../people/accounts/api-key-store.ts';
import { storeMove } from './move-group.ts';

const [GROUP, SUPERGROUP, OTHER] = [-4_100, -1_002_100_000_000, -4_200];
const NOW_S = 1_800_000_000;

let database: TestDatabase;
let bot_id: number;
let otherBotId: number;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.drop();
});
beforeEach(async () => {
  bot_id = await storedBot(database.db);
  otherBotId = await storedBot(database.db);
});

const move = () => ({ bot_id, fromChatId: GROUP, toChatId: SUPERGROUP });
const moved = () => database.db.transaction().execute((transaction) => storeMove(transaction, move(), NOW_S));
const audited = () => database.db.selectFrom('audit_log').selectAll().where('bot_id', '=', bot_id).execute();
const bot = async (id = bot_id) => (await botStore(database.db).byId(id)) as BotRow;

async function rule(fields: object): Promise<number> {
  const rule = { condition_type: 'all', action: 'copy', ...fields } as const;
  const values = { source_bot_id: bot_id, target_bot_id: otherBotId, ...rule };
  return (await database.db.insertInto('routes').values(values).returning('id').executeTakeFirstOrThrow()).id;
}
async function ruleRow(id: number) {
  const rules = database.db.selectFrom('routes').select(['condition_value', 'target_chat_id']);
  return rules.where('id', '=', id).executeTakeFirstOrThrow();
}
async function program(ofBot: number, chats: number[]): Promise<number> {
  const filter = JSON.stringify({ keyword: 'tide', chat_ids: chats });
  const values = { bot_id: ofBot, name: 'desk', mode: 'pull' as const, filter };
  const { id } = await database.db.insertInto('programs').values(values).returning('id').executeTakeFirstOrThrow();
  const token = { program_id: id, name: 't', token_hash: `${id}`, token_prefix: 'p', made_by: 'ada', made_by_id: 1 };
  await database.db
    .insertInto('program_tokens')
    .values({ ...token, chats: JSON.stringify(chats) })
    .execute();
  return id;
}
async function boundTo(programId: number): Promise<unknown[]> {
  const programs = database.db.selectFrom('programs').select('filter').where('id', '=', programId);
  const tokens = database.db.selectFrom('program_tokens').select('chats').where('program_id', '=', programId);
  const { filter } = await programs.executeTakeFirstOrThrow();
  return [JSON.parse(filter), JSON.parse((await tokens.executeTakeFirstOrThrow()).chats ?? 'null')];
}

/** Every column that may hold the id of a chat, or a text with one, and what becomes of it. */
const CHAT_COLUMNS: Record<string, 'follows' | 'stays'> = {
  'chat_reads.chat_id': 'follows',
  // Business connections have private chats only.
  'business_chats.chat_id': 'stays',
  'business_chat_reads.chat_id': 'stays',
  'chat_users.chat_id': 'follows',
  'api_keys.mcp_chats': 'follows',
  'event_sinks.chat_id': 'follows',
  // Chats named one by one.
  'broadcasts.audience': 'follows',
  // A place in the order of ids.
  'broadcasts.after_chat_id': 'stays',
  // A broadcast follows from the group to its supergroup.
  'chat_list_entries.chat_id': 'stays',
  // What waits follows; what was sent stays.
  'outbox.chat_id': 'follows',
  'program_tokens.chats': 'follows',
  'program_chats.chat_id': 'follows',
  // A number.
  'programs.chats_revision': 'stays',
  'programs.filter': 'follows',
  'routes.condition_value': 'follows',
  'routes.target_chat_id': 'follows',
  'tags.chat_id': 'follows',
  'notes.chat_id': 'follows',
  // It names no chat.
  'saved_views.filter': 'stays',
  // Both chats have a row; the group's points to the supergroup's.
  'chats.id': 'stays',
  'chats.assigned_to': 'follows',
  // They name messages of the group, and the first message of the supergroup opens it.
  'chats.done_date': 'stays',
  'chats.done_id': 'stays',
  'chats.awaits_told_date': 'stays',
  'chats.awaits_told_minutes': 'stays',
  'chats.migrated_to_chat_id': 'stays',
  // Ids of messages, and what was done in the group, belong to the group.
  'audit_log.chat_id': 'stays',
  'events.chat_id': 'stays',
  // A key that may see the group may see the supergroup, too.
  'dead_letters.chat_id': 'stays',
  'chat_authors.chat_id': 'stays',
  'deletions.chat_id': 'stays',
  // A place in the rows of a month.
  'expired_months.after_chat': 'stays',
  'messages.chat_id': 'stays',
  // It is about a message of the group.
  'questions.chat_id': 'stays',
  'route_links.source_chat_id': 'stays',
  // Only supergroups have topics.
  'topics.chat_id': 'stays',
  'route_links.target_chat_id': 'stays',
  // A condition about dead letters, which names no chat.
  'delivery_jobs.filter': 'stays',
};

test('of every column that may name a chat it is decided whether it follows', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema()
      and table_name not in (select inhrelid::regclass::text from pg_inherits) and (column_name ~ 'chat|filter|condition_value|audience'
      or table_name = 'chats' and column_name in ('id', 'assigned_to', 'done_date', 'done_id', 'awaits_told_date', 'awaits_told_minutes'))`.execute(
    database.db,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(CHAT_COLUMNS).toSorted());
});

describe('a group that becomes a supergroup', () => {
  test('takes along the rules, filters and tokens of its bot, with one entry in the audit log', async () => {
    const about = await rule({ condition_type: 'chat_id', condition_value: ` ${GROUP} `, target_chat_id: OTHER });
    const to = await rule({ source_bot_id: otherBotId, target_bot_id: bot_id, target_chat_id: GROUP });
    const outside = await rule({ condition_type: 'thread_id', condition_value: `${GROUP}:0`, target_chat_id: OTHER });
    const keyword = await rule({ condition_type: 'keyword', condition_value: String(GROUP), target_chat_id: GROUP });
    const ofOther = await rule({
      ...{ source_bot_id: otherBotId, target_bot_id: otherBotId, target_chat_id: GROUP },
      ...{ condition_type: 'chat_id', condition_value: String(GROUP) },
    });
    const [own, others] = [await program(bot_id, [OTHER, GROUP]), await program(otherBotId, [GROUP])];

    expect((await moved()).toSorted()).toEqual([bot_id, otherBotId].toSorted());

    expect(await ruleRow(about)).toEqual({ condition_value: String(SUPERGROUP), target_chat_id: OTHER });
    expect(await ruleRow(outside)).toEqual({ condition_value: `${SUPERGROUP}:0`, target_chat_id: OTHER });
    expect(await ruleRow(to)).toEqual({ condition_value: '', target_chat_id: SUPERGROUP });
    // Another bot sends there, and hears of it itself.
    expect(await ruleRow(keyword)).toEqual({ condition_value: String(GROUP), target_chat_id: GROUP });
    expect(await ruleRow(ofOther)).toEqual({ condition_value: String(GROUP), target_chat_id: GROUP });
    const followed = [OTHER, SUPERGROUP];
    expect(await boundTo(own)).toEqual([{ keyword: 'tide', chat_ids: followed }, followed]);
    expect(await boundTo(others)).toEqual([{ keyword: 'tide', chat_ids: [GROUP] }, [GROUP]]);
    expect(await audited()).toMatchObject([
      {
        ...{ action: 'migrate', chat_id: GROUP, actor_kind: 'bot', date: NOW_S },
        details: `became ${SUPERGROUP}; rules: 3; filters: 1; tokens: 1`,
      },
    ]);
  });

  test('is seen by the keys for MCP that saw the group, beside it', async () => {
    const { id: accountId } = await insertAccount(database.db, { username: 'agents' });
    const key = async (hash: string, chats: object[]) => {
      const values = { account_id: accountId, name: hash, key_hash: hash, key_prefix: 'flt_', role: 'user' as const };
      await database.db
        .insertInto('api_keys')
        .values({ ...values, mcp: 'read', mcp_chats: JSON.stringify(chats) })
        .execute();
    };
    await key('own', [{ bot_id, chat_id: GROUP }]);
    await key('others', [{ bot_id: otherBotId, chat_id: GROUP }]);
    await moved();
    const chatsOf = async (hash: string) => (await apiKeyStore(database.db).findByHash(hash))?.mcp_chats;
    expect(await chatsOf('own')).toEqual([
      { bot_id, chat_id: GROUP },
      { bot_id, chat_id: SUPERGROUP },
    ]);
    expect(await chatsOf('others')).toEqual([{ bot_id: otherBotId, chat_id: GROUP }]);
  });

  test('means both ids in force, since the last updates of the group may come late', async () => {
    await rule({ condition_type: 'chat_id', condition_value: String(GROUP), target_chat_id: OTHER });
    await rule({ condition_type: 'chat_id', condition_value: String(OTHER), target_chat_id: OTHER });
    await rule({ condition_type: 'thread_id', condition_value: `${GROUP}:0`, target_chat_id: OTHER });
    await program(bot_id, [GROUP]);
    await moved();
    const { rules, programs } = await bot();
    expect(rules).toMatchObject([
      { condition_value: String(SUPERGROUP), formerChatIds: [GROUP] },
      {},
      { condition_value: `${SUPERGROUP}:0`, formerChatIds: [GROUP] },
    ]);
    expect(rules[1]).not.toHaveProperty('formerChatIds');
    expect(programs).toMatchObject([
      { filter: { chat_ids: [SUPERGROUP, GROUP] }, tokens: [{ chats: [SUPERGROUP, GROUP] }] },
    ]);
    expect(await botStore(database.db).all()).toContainEqual(await bot());
  });

  test('takes people, tags and read markers along, and points to the supergroup', async () => {
    const { db } = database;
    const account = await db
      .insertInto('accounts')
      .values({ username: `reader-${bot_id}`, username_key: `reader-${bot_id}`, password_hash: '', role: 'user' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const inGroup = { bot_id, chat_id: GROUP };
    await db
      .insertInto('chat_users')
      .values({ ...inGroup, user_id: 7, username: 'ada' })
      .execute();
    await db
      .insertInto('tags')
      .values({ ...inGroup, user_id: 7, tag: 'vip', color: '#ffffff' })
      .execute();
    const mark = { message_id: 90, message_date: NOW_S - 5 };
    await db
      .insertInto('chat_reads')
      .values({ ...inGroup, account_id: account.id, ...mark })
      .execute();
    const group = { bot_id, id: GROUP, type: 'group', title: 'Quay', assigned_to: account.id };
    await db.insertInto('chats').values(group).execute();
    await moved();
    const in_ = (chat: number) => ({ bot_id, chat_id: chat });
    const rows = (table: 'chat_users' | 'tags' | 'chat_reads') =>
      db.selectFrom(table).selectAll().where('bot_id', '=', bot_id).orderBy('chat_id').execute();
    expect(await rows('chat_users')).toMatchObject([in_(SUPERGROUP), in_(GROUP)]);
    expect(await rows('tags')).toMatchObject([in_(SUPERGROUP)]);
    expect(await rows('chat_reads')).toMatchObject([
      { ...in_(SUPERGROUP), account_id: account.id, message_id: 0, message_date: NOW_S - 5 },
      in_(GROUP),
    ]);
    expect(await db.selectFrom('chats').selectAll().where('bot_id', '=', bot_id).orderBy('id').execute()).toMatchObject(
      [
        { id: SUPERGROUP, type: 'supergroup', title: 'Quay', migrated_to_chat_id: null, assigned_to: account.id },
        { id: GROUP, type: 'group', title: 'Quay', migrated_to_chat_id: SUPERGROUP },
      ],
    );
  });

  test('moves once, however many see it at once, and bots that send to each other’s do not block each other', async () => {
    const rules = [
      await rule({ condition_type: 'chat_id', condition_value: String(GROUP), target_chat_id: GROUP }),
      await rule({
        ...{ source_bot_id: otherBotId, target_bot_id: bot_id, target_chat_id: GROUP },
        ...{ condition_type: 'chat_id', condition_value: String(GROUP) },
      }),
    ];
    const moves = Array.from({ length: 6 }, (_, at) => ({ ...move(), bot_id: at % 2 === 0 ? bot_id : otherBotId }));
    const changed = await Promise.all(
      moves.map((one) => database.db.transaction().execute((transaction) => storeMove(transaction, one, NOW_S))),
    );
    expect(changed.filter((ids) => ids.length > 0)).toHaveLength(2);
    for (const id of rules) {
      expect(await ruleRow(id)).toEqual({ condition_value: String(SUPERGROUP), target_chat_id: SUPERGROUP });
    }
    expect(await audited()).toHaveLength(1);
    const { revision } = await bot();
    expect(await moved()).toEqual([]);
    expect((await bot()).revision).toBe(revision);
  });

  test('changes nothing for a bot that is gone', async () => {
    await database.db.deleteFrom('bots').where('id', '=', bot_id).execute();
    expect(await moved()).toEqual([]);
    expect(await database.db.selectFrom('chats').selectAll().where('bot_id', '=', bot_id).execute()).toEqual([]);
  });
});
