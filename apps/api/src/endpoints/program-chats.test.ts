import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { EventResource } from '@flotilla/contract/events.ts';
import type { ProgramChatResource, ProgramLink } from '@flotilla/contract/program-chats.ts';
import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import { chatBinder } from '@flotilla/domain/delivery/programs/chat-binder.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { reconcileBots } from '@flotilla/domain/fleet/bots/reconcile-bots.ts';
import { moveGroup } from '@flotilla/domain/records/moved-groups/move-group.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { sliceUpdates } from '@flotilla/telegram/slice-updates.ts';
import { createContext } from '@flotilla/testing/create-context.ts';
import { whileLocked } from '@flotilla/testing/locked-table.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { withoutReserve } from '@flotilla/testing/without-reserve.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';

const [ADA, BEN, CARL] = [701, 702, 703];
const PATIENT_MS = 60_000;
const [GROUP, SUPERGROUP] = [-7_100, -1_007_100_000_000];

const api = testApi();
/** Stand in for two workers, which accept updates. */
let worker: Context;
let otherWorker: Context;
let bot: BotResource;
let known: Bot;
let newest = 0;
let programsMade = 0;

beforeAll(async () => {
  const open = () => createContext(readConfig(api.env), { log: createLogger({ name: 'worker', level: 'silent' }) });
  [worker, otherWorker] = [await open(), await open()];
  api.endBefore(worker.close);
  api.endBefore(otherWorker.close);
});
beforeEach(async () => {
  bot = await api.addBot({ long_poll_enabled: true });
  await worker.directory.refresh();
  known = worker.directory.byId(bot.id)!;
  newest = 0;
});

const post = async <Answer>(path: string, body: object, client = api.admin): Promise<Answer> => {
  const answer = await client('POST', `/api/programs/${path}`, { body });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as Answer;
};
const add = (filter: ProgramFilter, fields: object = {}): Promise<ProgramResource> => {
  programsMade += 1;
  return post('add', { bot_id: bot.id, name: `program ${programsMade}`, filter, ...fields });
};
const linkFor = async ({ id }: ProgramResource, fields: object = {}): Promise<string> => {
  const { link } = await post<ProgramLink>('bind-link', { program_id: id, ...fields });
  return new URL(link).searchParams.get('start')!;
};
const chatsOf = async ({ id }: ProgramResource) =>
  (await api.admin('GET', '/api/programs/chats', { query: { program_id: id } })).json as ProgramChatResource[];

const message = (chat: number, text: string, fields: object = {}) => ({
  message: {
    ...{ message_id: 7, date: Math.floor(Date.now() / 1000), from: { id: chat > 0 ? chat : ADA, first_name: 'Ada' } },
    ...{ chat: { id: chat, type: chat > 0 ? 'private' : chat < -1_000_000 ? 'supergroup' : 'group' }, text, ...fields },
  },
});
const start = (chat: number, token: string, fields: object = {}) =>
  message(chat, chat > 0 ? `/start ${token}` : `/start@${bot.username} ${token}`, fields);
const acceptAt = async (worker: Context, firstId: number, ...contents: object[]) => {
  // A busy machine must not end the wait.
  const by = { ...withoutReserve(worker), chatBinder: chatBinder(worker, PATIENT_MS) };
  await by.directory.refresh();
  const raws = contents.map((content, at) => JSON.stringify({ update_id: firstId + at, ...content }));
  const sliced = sliceUpdates(`{"ok":true,"result":[${raws.join()}]}`)!.updates;
  // A polling turn has the bot as it was before there were links.
  return acceptUpdates(by, known, sliced);
};
const accept = async (...contents: object[]): Promise<void> => {
  const first = newest + 1;
  newest += contents.length;
  expect(await acceptAt(worker, first, ...contents)).toMatchObject({ outcome: 'accepted' });
};
/** Polls and acknowledges everything; the texts, by what begins before a token. */
async function texts(program?: ProgramResource): Promise<string[]> {
  const found: string[] = [];
  for (let offset = 0; ; ) {
    const query = { bot_id: bot.id, timeout: 0, offset, ...(program && { program_id: program.id }) };
    const { result } = (await api.admin('GET', '/api/updates/poll', { query })).json as {
      result: ({ update_id: number } & Record<string, { text?: string }>)[];
    };
    if (result.length === 0) return found;
    for (const { update_id: id, ...content } of result) {
      found.push(Object.values(content)[0]?.text?.split(' ')[0] ?? '');
      offset = id + 1;
    }
  }
}

describe('a link', () => {
  test('adds the private chat of who opens it to the chats of its program, which learns it by the /start', async () => {
    const program = await add({ bound_only: true });
    const listed = await add({ chat_ids: [BEN] });
    const token = await linkFor(program);
    const { link, group_link } = await post<ProgramLink>('bind-link', { program_id: listed.id, uses: 5 });
    expect(link).toMatch(new RegExp(`^https://t\\.me/${bot.username}\\?start=flb_[\\w-]{32}$`));
    expect(group_link).toBe(link.replace('start=', 'startgroup='));

    await accept(message(ADA, 'before'));
    await accept(start(ADA, token), message(ADA, 'after'), message(BEN, 'other'));
    await accept(start(ADA, new URL(link).searchParams.get('start')!), message(ADA, 'both'));

    expect(await texts(program)).toEqual(['/start', 'after', '/start', 'both']);
    expect(await texts(listed)).toEqual(['other', '/start', 'both']);
    expect(await texts()).toHaveLength(6);
    const [chat] = await chatsOf(program);
    expect(chat).toMatchObject({ chat_id: ADA, bot_id: bot.id, user_id: ADA, user_name: 'Ada' });
    const events = await api.admin('GET', '/api/events', { query: { bot_id: bot.id, kinds: 'chat.bound' } });
    expect(events.json as EventResource[]).toMatchObject([
      { program_id: listed.id, chat_id: ADA },
      { program_id: program.id, chat_id: ADA },
    ]);
    const audited = await api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, action: 'program_bind' } });
    expect(audited.json as AuditEntryResource[]).toMatchObject([
      { chat_id: ADA, actor_kind: 'bot' },
      { chat_id: ADA, actor_kind: 'bot' },
    ]);
    const stored = await api.database.db.selectFrom('program_links').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(token.slice(4));
  });

  test('leaves a program with all chats, and one that takes its chats alone takes the bound one, too', async () => {
    const all = await add({});
    const alone = await add({ chat_ids: [BEN] }, { exclusive: true });
    await accept(start(ADA, await linkFor(all)), message(BEN, 'ben'), message(CARL, 'carl'));
    expect(await texts(all)).toEqual(['/start', 'carl']);
    await accept(start(CARL, await linkFor(alone)), message(CARL, 'alone'));
    expect(await texts(all)).toEqual([]);
    expect(await texts(alone)).toEqual(['ben', '/start', 'alone']);
  });

  test('is used by as many chats as it has uses, also by two workers at once and by an update that comes again', async () => {
    const program = await add({ bound_only: true });
    const token = await linkFor(program, { uses: 2 });
    const opened = (chat: number, by: Context, id: number) => acceptAt(by, id, start(chat, token));
    await Promise.all([opened(ADA, worker, 1), opened(ADA, otherWorker, 1), opened(ADA, otherWorker, 2)]);
    await Promise.all([opened(BEN, worker, 3), opened(CARL, otherWorker, 4)]);
    newest = 4;
    const bound = (await chatsOf(program)).map(({ chat_id }) => chat_id);
    expect(bound).toHaveLength(2);
    expect(bound).toContain(ADA);
    await accept(message(BEN, 'ben'), message(CARL, 'carl'));
    expect(await texts(program)).toHaveLength(4);
  });

  test('does nothing when it has expired, was revoked or is of another bot, and its /start is a message like any other', async () => {
    const program = await add({ bound_only: true });
    const [expired, revoked] = [await linkFor(program), await linkFor(program)];
    await api.database.db
      .updateTable('program_links')
      .set({ expires_at: new Date(0) })
      .execute();
    await accept(start(ADA, expired));
    const open = await linkFor(program);
    await post('revoke-links', { program_id: program.id });
    await accept(start(ADA, revoked), start(ADA, open), start(ADA, `flb_${'x'.repeat(32)}`));
    const first = bot;
    const ofOther = await linkFor(program);
    bot = await api.addBot({ long_poll_enabled: true });
    await worker.directory.refresh();
    known = worker.directory.byId(bot.id)!;
    await linkFor(await add({}));
    await accept(start(ADA, ofOther), message(ADA, `/start@other_bot ${ofOther}`));
    expect(await texts()).toEqual(['/start', '/start@other_bot']);
    expect(await chatsOf(program)).toEqual([]);
    bot = first;
    expect(await texts()).toHaveLength(4);
  });

  test('binds a group only for its administrators, and nothing for forwarded messages, channels and business chats', async () => {
    const program = await add({ bound_only: true });
    const token = await linkFor(program);
    const ofBot = Number(bot.token.split(':')[0]);
    await api.platform.createPerson({ id: ADA });
    await api.platform.createPerson({ id: BEN });
    await api.platform.createChat({
      id: SUPERGROUP,
      type: 'supergroup',
      title: 'Crew',
      creator: ADA,
      members: [BEN, ofBot],
    });
    const from = (id: number) => ({ from: { id, first_name: 'Ben' } });
    await accept(
      start(SUPERGROUP, token, from(BEN)),
      start(ADA, token, { forward_origin: { type: 'hidden_user' } }),
      { business_message: { ...start(ADA, token).message, business_connection_id: 'c1' } },
      { channel_post: { ...start(SUPERGROUP, token).message, chat: { id: SUPERGROUP, type: 'channel' } } },
      start(SUPERGROUP, token, { sender_chat: { id: -1_009, type: 'channel' } }),
    );
    expect(await chatsOf(program)).toEqual([]);
    await accept(start(SUPERGROUP, token, from(ADA)));
    expect(await chatsOf(program)).toMatchObject([{ chat_id: SUPERGROUP, user_id: ADA }]);
    const anonymous = { from: { id: 1087968824 }, sender_chat: { id: GROUP, type: 'group' } };
    await accept(start(GROUP, await linkFor(program), anonymous));
    expect((await chatsOf(program)).at(-1)).toMatchObject({ chat_id: GROUP });
    expect((await chatsOf(program)).at(-1)).not.toHaveProperty('user_id');

    await accept(start(ADA, await linkFor(program)), {
      business_message: { ...message(ADA, 'to the owner').message, business_connection_id: 'c1' },
    });
    expect(await texts(program)).toEqual(['/start@'.concat(bot.username), '/start@'.concat(bot.username), '/start']);
  });

  test('holds no update up while Postgres gives no answer', async () => {
    const program = await add({ bound_only: true });
    const token = await linkFor(program);
    await whileLocked(api.database.db, 'program_links', async () => {
      const raw = JSON.stringify({ update_id: 1, ...start(ADA, token) });
      await worker.directory.refresh();
      const { updates } = sliceUpdates(`{"ok":true,"result":[${raw}]}`)!;
      await acceptUpdates(withoutReserve(worker), worker.directory.byId(bot.id)!, updates);
    });
    expect(await texts()).toEqual(['/start']);
  });
});

describe('a bound chat', () => {
  test('is unbound at once, and a program of bound chats then gets none', async () => {
    const program = await add({ bound_only: true });
    const token = await linkFor(program, { uses: 2 });
    await accept(start(ADA, token), start(BEN, token));
    await post('unbind', { program_id: program.id, chat_id: ADA });
    await accept(message(ADA, 'gone'), message(BEN, 'stays'));
    await post('unbind', { program_id: program.id, chat_id: BEN });
    await accept(message(BEN, 'gone'));
    expect(await texts(program)).toEqual(['/start', '/start', 'stays']);
    const again = await api.admin('POST', '/api/programs/unbind', { body: { program_id: program.id, chat_id: BEN } });
    expect(again.status).toBe(404);
  });

  test('is bound again when Redis has lost everything', async () => {
    const program = await add({ bound_only: true });
    const token = await linkFor(program, { uses: 2 });
    await accept(start(ADA, token), start(BEN, token));
    await worker.redis.removeKeys(`${botKeys(bot.id).prefix}:`);
    await reconcileBots(worker);
    await accept(message(ADA, 'ada'), message(BEN, 'ben'), message(CARL, 'carl'));
    expect(await texts(program)).toEqual(['ada', 'ben']);
  });

  test('that is a group follows it to its supergroup, and the last updates of the group are still of the program', async () => {
    const program = await add({ bound_only: true });
    const anonymous = { sender_chat: { id: GROUP, type: 'group' } };
    await accept(start(GROUP, await linkFor(program), anonymous));
    await moveGroup(worker, { bot_id: bot.id, fromChatId: GROUP, toChatId: SUPERGROUP });
    expect(await chatsOf(program)).toMatchObject([{ chat_id: SUPERGROUP }]);
    await accept(message(SUPERGROUP, 'new'), message(GROUP, 'late'));
    expect(await texts(program)).toEqual([`/start@${bot.username}`, 'new', 'late']);
  });

  test('goes with its program, and with the person who is erased', async () => {
    const [program, deleted] = [await add({ bound_only: true }), await add({ bound_only: true })];
    for (const one of [program, deleted]) await accept(start(ADA, await linkFor(one)));
    await post('delete', { id: deleted.id });
    await api.database.db.deleteFrom('program_chats').where('chat_id', '=', ADA).execute();
    await reconcileBots(worker);
    await accept(message(ADA, 'erased'));
    expect(await texts(program)).toEqual(['/start', '/start']);
    expect(await worker.redis.commands.sismember(programKeys(bot.id, program.id).chats, String(ADA))).toBe(0);
    const left = await api.database.db
      .selectFrom('program_links')
      .where('program_id', '=', deleted.id)
      .selectAll()
      .execute();
    expect(left).toEqual([]);
  });
});

test('a program with links has no token that would confirm updates that it does not see', async () => {
  const token = { name: 'narrow', chats: [BEN] };
  const narrow = await add({ chat_ids: [BEN] }, { exclusive: true });
  await post('tokens/add', { program_id: narrow.id, ...token });
  const refused = await api.admin('POST', '/api/programs/bind-link', { body: { program_id: narrow.id } });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('narrow');

  const binding = await add({ chat_ids: [BEN] }, { exclusive: true });
  await linkFor(binding);
  const added = await api.admin('POST', '/api/programs/tokens/add', { body: { program_id: binding.id, ...token } });
  expect(added.status).toBe(400);
});
