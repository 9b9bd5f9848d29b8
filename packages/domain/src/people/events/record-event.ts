import { EVENT_KINDS, EVENTS, type EventKind } from '@flotilla/contract/events.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import type { Actor } from '../audit/actor.ts';

export type NewEvent = {
  kind: EventKind;
  bot_id: number | null;
  program_id?: number | null;
  chat_id?: number | null;
  /** '' outside business connections. */
  business_connection_id?: string;
  /** Whose request led to it. */
  by?: Pick<Actor, 'request'>;
  text: string;
};
/** Only sinks that ask for this time; of `chat.awaits`. */
type Asked = { awaitsMinutes: number };

/** Of one kind and one bot, a sink gets the first at once, and then at most one in this time. */
const PACE_S = 300;
const TEXT_LENGTH = 1_000;

/** Stores what happened, and puts it on its way to every sink that wants it. Pass the transaction of the change itself. */
export async function recordEvent(
  db: Database,
  { kind, bot_id, program_id = null, chat_id = null, business_connection_id = '', by, text }: NewEvent,
  asked: Asked | null = null,
): Promise<void> {
  const cut = (text.length > TEXT_LENGTH ? `${text.slice(0, TEXT_LENGTH)}…` : text).toWellFormed();
  const { id } = await db
    .insertInto('events')
    .values({
      ...{ kind, bot_id, program_id, chat_id },
      ...{ business_connection_id, request_id: by?.request?.id ?? null, text: cut },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const event = { id, kind, bot_id, program_id };
  const sinks = await sinksFor(db, event, asked);
  const begins = EVENT_KINDS.filter((one) => endOf(one) === kind);
  if (begins.length === 0) await sendPaced(db, sinks, event);
  else await sendEnd(db, sinks, event, begins);
}

const endOf = (kind: EventKind): string | undefined => (EVENTS[kind] as { end?: string }).end;

type Stored = { id: number; kind: EventKind; bot_id: number | null; program_id: number | null };

async function sinksFor(db: Database, { kind, bot_id }: Stored, asked: Asked | null): Promise<number[]> {
  const minutes = asked?.awaitsMinutes ?? null;
  const { rows } = await sql<{ id: number }>`
    select id from event_sinks where enabled and (kinds is null or kinds ? ${kind})
      and (bot_ids is null or (${bot_id}::bigint is not null and bot_ids @> to_jsonb(${bot_id}::bigint)))
      and (${minutes}::int is null or awaits_minutes = ${minutes}::int)
    order by id for share`.execute(db);
  return rows.map(({ id }) => id);
}

/** One that waits for its time stands for those that follow. */
async function sendPaced(db: Database, sinks: number[], { id, kind, bot_id, program_id }: Stored): Promise<void> {
  await sql`
    with last as (
      select distinct on (d.sink_id) d.sink_id, d.id, coalesce(d.delivered_at, d.due_at) as at, d.delivered_at is null and d.retry is null as waits
      from event_deliveries d
      where d.sink_id = any (${sinks}::bigint[]) and d.kind = ${kind} and d.bot_id is not distinct from ${bot_id}::bigint
        and d.program_id is not distinct from ${program_id}::bigint
      order by d.sink_id, d.id desc
    ), joined as (
      update event_deliveries d set event_id = ${id}, repeats = repeats + 1
      from last where d.id = last.id and last.waits returning d.sink_id
    )
    insert into event_deliveries (sink_id, event_id, kind, bot_id, program_id, due_at)
    select s.id, ${id}, ${kind}, ${bot_id}::bigint, ${program_id}::bigint,
      greatest(now(), last.at + make_interval(secs => ${PACE_S}))
    from unnest(${sinks}::bigint[]) as s (id) left join last on last.sink_id = s.id
    where not exists (select from joined where joined.sink_id = s.id)`.execute(db);
}

/** If the begin still waits, nobody was told of it, and nobody needs to know. */
async function sendEnd(db: Database, sinks: number[], { id, kind, bot_id, program_id }: Stored, begins: EventKind[]) {
  await sql`
    with untold as (
      delete from event_deliveries
      where sink_id = any (${sinks}::bigint[]) and kind = any (${begins}::text[])
        and bot_id is not distinct from ${bot_id}::bigint and program_id is not distinct from ${program_id}::bigint
        and delivered_at is null and retry is null and due_at > now()
      returning sink_id
    )
    insert into event_deliveries (sink_id, event_id, kind, bot_id, program_id, due_at)
    select s.id, ${id}, ${kind}, ${bot_id}::bigint, ${program_id}::bigint, now()
    from unnest(${sinks}::bigint[]) as s (id)
    where not exists (select from untold where untold.sink_id = s.id)`.execute(db);
}
