import type { OutboxEntry, Priority } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { transition } from './entry-state.ts';

/** An entry that waits, as its owner knows it until it is sent. */
export type WaitingEntry = Pick<OutboxEntry, 'id' | 'method' | 'chat_id' | 'messages'> & {
  /** How long (ms) it rests after a failed attempt; 0: not. */
  restsMs: number;
};

/** An entry that its owner is about to send. */
export type BegunEntry = Pick<
  OutboxEntry,
  'id' | 'chat_id' | 'method' | 'params' | 'attempts' | 'broadcast_id' | 'created_by' | 'released_by'
>;

/** Of so many chats above this one, so many entries of each. */
export type LookFrom = { aboveChat: number; chats: number; ofEach: number };

export type ToBegin = { id: number; bot_id: number; claim: number };

/** A retry may begin this much early. */
const EARLY_MS = 20;

/** SQL of the owner of a bot's outbox: what waits, and what it begins. */
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

    /** Puts entries in doubt that former owners had begun. Returns how many. */
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
     * those with another one of their chat and priority before them, which may have begun in the group that the chat was before, and
     * those of a bot in whose outbox something is being restored.
     */
    async begin(wanted: readonly ToBegin[]): Promise<BegunEntry[]> {
      const { may, set } = transition('begin');
      const column = (of: (one: ToBegin) => number) => wanted.map(of);
      const { rows } = await sql<BegunEntry>`
        with wanted as (
          select * from unnest(${column(({ id }) => id)}::bigint[], ${column(({ bot_id }) => bot_id)}::bigint[],
            ${column(({ claim }) => claim)}::bigint[]) as wanted(id, bot_id, claim)
        ), seen as materialized (
          select bot_id, claim, xmin as version from outbox_claims where (bot_id, claim) in (select bot_id, claim from wanted)
        ), owned as (
          -- A restore since the snapshot has written its row anew.
          select locked.bot_id, locked.claim from seen
          join outbox_claims locked on locked.bot_id = seen.bot_id and locked.claim = seen.claim and locked.xmin = seen.version
          order by locked.bot_id for share of locked skip locked
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
        returning outbox.id, chat_id, method, params, attempts, broadcast_id, created_by, released_by`.execute(db);
      return rows;
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
    select entry.id, entry.method, chat.id as chat_id, entry.messages, entry."restsMs"
    from (select id from chat where id is not null limit ${from.chats}) as chat
    cross join lateral (
      select id, method, messages,
        coalesce(greatest(extract(epoch from next_attempt_at - now()) * 1000, 0), 0)::float8 as "restsMs"
      from outbox where ${ofLane} and chat_id = chat.id order by id limit ${from.ofEach}
    ) as entry
    order by chat.id, entry.id`;
}
