import type { Priority } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { type RawBuilder, sql } from 'kysely';
import type { CallActor } from '../../records/history/stream/captured-call.ts';
import { authorOf } from './author.ts';
import { transition } from './entry-state.ts';

/** An entry that waits, as its owner knows it until it is sent. */
export type WaitingEntry = {
  id: number;
  method: string;
  chatId: number;
  messages: number;
  /** How long (ms) it rests after a failed attempt; 0: not. */
  restsMs: number;
};

/** An entry that its owner is about to send. */
export type BegunEntry = {
  id: number;
  chatId: number;
  method: string;
  params: Fields;
  attempts: number;
  broadcastId: number | null;
  createdBy: CallActor;
  releasedBy: CallActor | null;
};

/** Of so many chats above this one, so many entries of each. */
export type LookFrom = { aboveChat: number; chats: number; ofEach: number };

export type ToBegin = { id: number; botId: number; claim: number };

/** How an attempt ended. */
export type Settlement = ToBegin &
  (
    | { event: 'sent'; messageId: number | null; result: string | null }
    | { event: 'fail'; errorCode: number | null; error: string }
    | { event: 'doubt'; error: string }
    /** Its author lost the right, so no request was made. */
    | { event: 'hold'; error: string }
    /** `chatId`: the chat has another id now. `counts`: it was one of the attempts after which an entry is given up. */
    | { event: 'again'; afterMs: number; errorCode: number | null; error: string; chatId: number; counts: boolean }
  );

/** What the statements share about entries that wait for their turn. A retry may begin this much early. */
const EARLY_MS = 20;
const LONGEST_ERROR = 1000;

/** SQL of the one who sends the entries of a bot, and of upkeep. */
export function outboxTurnStore(db: Database) {
  return {
    /** From now on, whoever owned the bot's outbox before begins nothing any more. Returns the number of the new owner. */
    async claim(botId: number): Promise<number> {
      const { rows } = await sql<{ claim: number }>`
        insert into outbox_claims (bot_id, claim) values (${botId}, 1)
        on conflict (bot_id) do update set claim = outbox_claims.claim + 1
        returning claim`.execute(db);
      return rows[0]!.claim;
    },

    /** What former owners had begun: nobody knows how it ended. Returns how many. */
    async doubtFormer(botId: number, claim: number): Promise<number> {
      const { may, set } = transition('doubt');
      const { numAffectedRows } = await sql`
        update outbox set ${set}, error = 'The worker ended before the platform had answered'
        where bot_id = ${botId} and ${may} and claim < ${claim}`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Queues entries whose time has come, some at a time. Returns how many, and after how many ms the next one is due. */
    async queueDue(botId: number, limit: number): Promise<{ count: number; nextMs: number | null }> {
      const { may, set } = transition('due');
      const { rows } = await sql<{ count: number; nextMs: number | null }>`
        with due as (
          select id from outbox where bot_id = ${botId} and ${may} and send_at <= now()
          order by send_at limit ${limit} for no key update skip locked
        ), queued as (
          update outbox set ${set} from due where outbox.id = due.id and ${may} returning outbox.id
        )
        select (select count(*) from queued) as count, (
          select ceil(extract(epoch from send_at - now()) * 1000)::float8 from outbox
          where bot_id = ${botId} and ${may} and send_at > now() order by send_at limit 1) as "nextMs"`.execute(db);
      return rows[0]!;
    },

    async firstOfChats(botId: number, priority: Priority, from: LookFrom): Promise<WaitingEntry[]> {
      return (await selectFirstOfChats(botId, priority, from).execute(db)).rows;
    },

    /**
     * Notes that requests for these entries begin now. Left out are those of a former owner, those that do not wait any more, and
     * those with another one of their chat and priority before them, which may have begun in the group that the chat was before.
     */
    async begin(wanted: readonly ToBegin[]): Promise<BegunEntry[]> {
      const { may, set } = transition('begin');
      const column = (of: (one: ToBegin) => number) => wanted.map(of);
      const { rows } = await sql<BegunEntry>`
        with wanted as (
          select * from unnest(${column(({ id }) => id)}::bigint[], ${column(({ botId }) => botId)}::bigint[],
            ${column(({ claim }) => claim)}::bigint[]) as wanted(id, bot_id, claim)
        ), owned as (
          select bot_id, claim from outbox_claims
          where (bot_id, claim) in (select bot_id, claim from wanted) order by bot_id for share
        ), free as (
          select outbox.id, owned.claim from wanted
          join owned on owned.bot_id = wanted.bot_id and owned.claim = wanted.claim
          join outbox on outbox.id = wanted.id and outbox.bot_id = wanted.bot_id
          where ${may} and (expires_at is null or expires_at > now())
            and (next_attempt_at is null or next_attempt_at <= now() + make_interval(secs => ${EARLY_MS / 1000}))
            and not exists (
              select from outbox earlier where earlier.bot_id = outbox.bot_id and earlier.priority = outbox.priority
                and earlier.chat_id = outbox.chat_id and earlier.state = 'queued' and earlier.id < outbox.id)
            and not exists (
              select from outbox earlier where earlier.bot_id = outbox.bot_id and earlier.priority = outbox.priority
                and earlier.chat_id = outbox.chat_id and earlier.state = 'sending' and earlier.id < outbox.id)
          order by outbox.id for no key update of outbox skip locked
        )
        update outbox set ${set}, claim = free.claim, attempts = attempts + 1, next_attempt_at = null
        from free where outbox.id = free.id
        returning outbox.id, chat_id as "chatId", method, params, attempts, broadcast_id as "broadcastId",
          created_by as "createdBy", released_by as "releasedBy"`.execute(db);
      return rows;
    },

    /** Stores how attempts ended. An entry that a later owner has begun again stays as it is. */
    async settle(settled: readonly Settlement[]): Promise<void> {
      const of = <Event extends Settlement['event']>(event: Event) =>
        settled.filter((one): one is Extract<Settlement, { event: Event }> => one.event === event);
      await settleSent(db, of('sent'));
      await settleFailed(db, of('fail'));
      await settleDoubtful(db, of('doubt'));
      await settleAgain(db, of('again'));
      await settleHeld(db, of('hold'));
    },

    /** Holds what else waits of the author of this entry, or of its broadcast. Returns how many. */
    async holdOthers(
      botId: number,
      { createdBy, broadcastId }: BegunEntry,
      why: string,
      limit: number,
    ): Promise<number> {
      const { may, set } = transition('hold');
      const { programId, tokenId, keyId, accountId } = createdBy;
      const author = JSON.stringify({ programId, tokenId, keyId, accountId });
      const those =
        broadcastId === null
          ? sql`settled_at is null and broadcast_id is null and bot_id = ${botId} and author = ${authorOf(createdBy)}
              and created_by @> ${author}::jsonb`
          : sql`broadcast_id = ${broadcastId}`;
      const { numAffectedRows } = await sql`
        with chosen as (
          select id from outbox where ${those} and released_by is null and state in ('scheduled', 'queued')
          limit ${limit} for update skip locked
        )
        update outbox set ${set}, ${HELD}, error = ${why} from chosen where outbox.id = chosen.id and ${may}`.execute(
        db,
      );
      return Number(numAffectedRows ?? 0);
    },

    /** Gives up entries of any bot whose time is over. Returns how many. */
    async expire(limit: number): Promise<number> {
      const { may, set } = transition('expire');
      const { numAffectedRows } = await sql`
        with late as (
          select id from outbox where ${may} and expires_at <= now() order by expires_at limit ${limit}
          for no key update skip locked
        )
        update outbox set ${set} from late where outbox.id = late.id and ${may}`.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Bots with entries that could have been sent so long (ms) ago. */
    async lateBots(lateMs: number): Promise<number[]> {
      const since = sql`now() - make_interval(secs => ${lateMs / 1000})`;
      const late = {
        queued: sql`created_at <= ${since} and coalesce(next_attempt_at, created_at) <= ${since}`,
        scheduled: sql`send_at <= ${since}`,
        // Its worker may have ended.
        sending: sql`created_at <= ${since}`,
      };
      const found = Object.entries(late).map(
        ([state, isLate]) => sql`
          select bot.id from (${botsWith(state)}) as bot
          where exists (select from outbox where bot_id = bot.id and state = ${sql.lit(state)} and ${isLate})`,
      );
      const { rows } = await sql<{ id: number }>`
        select id from bots where not disabled and manage_enabled and id in (${sql.join(found, sql` union `)})
        order by id`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}

/**
 * The first entries of chats above a chat, in the order of the chats. Each chat costs a look into the index, however many entries
 * it has.
 */
export function selectFirstOfChats(botId: number, priority: Priority, from: LookFrom): RawBuilder<WaitingEntry> {
  const ofLane = sql`bot_id = ${botId} and priority = ${priority} and ${transition('begin').may}`;
  return sql<WaitingEntry>`
    with recursive chat(id) as (
      (select chat_id from outbox where ${ofLane} and chat_id > ${from.aboveChat} order by chat_id limit 1)
      union all
      select (select chat_id from outbox where ${ofLane} and chat_id > chat.id order by chat_id limit 1)
      from chat where chat.id is not null
    )
    select entry.id, entry.method, chat.id as "chatId", entry.messages, entry."restsMs"
    from (select id from chat where id is not null limit ${from.chats}) as chat
    cross join lateral (
      select id, method, messages,
        coalesce(greatest(extract(epoch from next_attempt_at - now()) * 1000, 0), 0)::float8 as "restsMs"
      from outbox where ${ofLane} and chat_id = chat.id order by id limit ${from.ofEach}
    ) as entry
    order by chat.id, entry.id`;
}

/** The bots with entries in a state: a look into the index for each, however many entries it has. */
function botsWith(state: string) {
  const inState = sql`state = ${sql.lit(state)}`;
  return sql`
    with recursive bot(id) as (
      (select bot_id from outbox where ${inState} order by bot_id limit 1)
      union all
      select (select bot_id from outbox where ${inState} and bot_id > bot.id order by bot_id limit 1)
      from bot where bot.id is not null
    )
    select id from bot where id is not null`;
}

type Of<Event extends Settlement['event']> = Extract<Settlement, { event: Event }>;

/** The rows of these settlements, of whose entries this owner was the last. */
function ofOwner(settled: readonly Settlement[]) {
  const ids = sql`${settled.map(({ id }) => id)}::bigint[], ${settled.map(({ claim }) => claim)}::bigint[]`;
  return { ids, isOurs: sql`outbox.id = settled.id and outbox.claim = settled.claim` };
}

async function settleSent(db: Database, settled: readonly Of<'sent'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('sent');
  const { ids, isOurs } = ofOwner(settled);
  await sql`
    update outbox set ${set}, error_code = null, error = null, message_id = settled.message_id, result = settled.result::jsonb
    from unnest(${ids}, ${settled.map(({ messageId }) => messageId)}::bigint[],
      ${settled.map(({ result }) => result)}::text[]) as settled(id, claim, message_id, result)
    where ${isOurs} and ${may}`.execute(db);
}

async function settleFailed(db: Database, settled: readonly Of<'fail'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('fail');
  const { ids, isOurs } = ofOwner(settled);
  await sql`
    update outbox set ${set}, error_code = settled.error_code, error = settled.error
    from unnest(${ids}, ${settled.map(({ errorCode }) => errorCode)}::integer[],
      ${settled.map(({ error }) => storable(error))}::text[]) as settled(id, claim, error_code, error)
    where ${isOurs} and ${may}`.execute(db);
}

async function settleDoubtful(db: Database, settled: readonly Of<'doubt'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('doubt');
  const { ids, isOurs } = ofOwner(settled);
  await sql`
    update outbox set ${set}, error_code = null, error = settled.error
    from unnest(${ids}, ${settled.map(({ error }) => storable(error))}::text[]) as settled(id, claim, error)
    where ${isOurs} and ${may}`.execute(db);
}

/** A broadcast releases what it has again, at its pace. */
const HELD = sql`next_attempt_at = null, error_code = null, send_at = case when broadcast_id is null then send_at end`;

async function settleHeld(db: Database, settled: readonly Of<'hold'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('hold');
  const { ids, isOurs } = ofOwner(settled);
  await sql`
    update outbox set ${set}, ${HELD}, error = settled.error, attempts = attempts - 1,
      chat_id = ${supergroupOf(sql`outbox.chat_id`)}
    from unnest(${ids}, ${settled.map(({ error }) => error)}::text[]) as settled(id, claim, error)
    where ${isOurs} and ${may}`.execute(db);
}

async function settleAgain(db: Database, settled: readonly Of<'again'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('again');
  const { ids, isOurs } = ofOwner(settled);
  // The group may have moved since the request began, or because of it.
  await sql`
    update outbox set ${set}, error_code = settled.error_code, error = settled.error,
      chat_id = ${supergroupOf(sql`settled.chat_id`)},
      attempts = attempts - case when settled.counts then 0 else 1 end,
      next_attempt_at = case when settled.after_ms > 0 then now() + make_interval(secs => settled.after_ms / 1000) end
    from unnest(${ids}, ${settled.map(({ errorCode }) => errorCode)}::integer[],
      ${settled.map(({ error }) => storable(error))}::text[], ${settled.map(({ chatId }) => chatId)}::bigint[],
      ${settled.map(({ counts }) => counts)}::boolean[], ${settled.map(({ afterMs }) => afterMs)}::float8[])
      as settled(id, claim, error_code, error, chat_id, counts, after_ms)
    where ${isOurs} and ${may}`.execute(db);
}

/** The id that a chat of an entry has now. */
function supergroupOf(chatId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce((
    select migrated_to_chat_id from chats where chats.bot_id = outbox.bot_id and chats.id = ${chatId}), ${chatId})`;
}

function storable(error: string): string | null {
  const text = error.replaceAll('\0', '').slice(0, LONGEST_ERROR).toWellFormed();
  return text === '' ? null : text;
}
