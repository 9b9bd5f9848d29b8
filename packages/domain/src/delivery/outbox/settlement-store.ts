import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { authorOf } from './author.ts';
import { transition } from './entry-state.ts';
import { supergroupOf } from './present-chat.ts';
import type { BegunEntry, ToBegin } from './turn-store.ts';

/** How an attempt ended. */
export type Settlement = ToBegin &
  (
    | { event: 'sent'; message_id: number | null; result: string | null }
    | { event: 'fail'; error_code: number | null; error: string }
    | { event: 'doubt'; error: string }
    /** Its author lost the right, so no request was made. */
    | { event: 'hold'; error: string }
    /** `chat_id`: the chat has another id now. `counts`: it was one of the attempts after which an entry is given up. */
    | { event: 'again'; afterMs: number; error_code: number | null; error: string; chat_id: number; counts: boolean }
  );

const LONGEST_ERROR = 1000;

/** SQL of what becomes of entries that were begun, and of what waits of an author who lost the right. */
export function settlementStore(db: Database) {
  return {
    /** Stores how attempts ended. An entry that was begun again since stays as it is. */
    async settle(settled: readonly Settlement[]): Promise<void> {
      const of = <Event extends Settlement['event']>(event: Event) =>
        settled.filter((one): one is Extract<Settlement, { event: Event }> => one.event === event);
      await settleSent(db, of('sent'));
      await settleFailed(db, of('fail'));
      await settleDoubtful(db, of('doubt'));
      await settleLapsed(db, [...of('again'), ...of('hold')]);
      await settleAgain(db, of('again'));
      await settleHeld(db, of('hold'));
    },

    /** Holds what else waits of the author of this entry, or of its broadcast. Returns how many. */
    async holdOthers(
      botId: number,
      { created_by, broadcast_id }: BegunEntry,
      why: string,
      limit: number,
    ): Promise<number> {
      const { may, set } = transition('hold');
      const { programId, tokenId, keyId, accountId } = created_by;
      const author = JSON.stringify({ programId, tokenId, keyId, accountId });
      const those =
        broadcast_id === null
          ? sql`settled_at is null and broadcast_id is null and bot_id = ${botId} and author = ${authorOf(created_by)}
              and created_by @> ${author}::jsonb`
          : sql`broadcast_id = ${broadcast_id}`;
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
  };
}

type Of<Event extends Settlement['event']> = Extract<Settlement, { event: Event }>;

/** The rows of these settlements, whose entries nobody has begun since. */
function ofOwner(settled: readonly Settlement[]) {
  const ids = sql`${settled.map(({ id }) => id)}::bigint[], ${settled.map(({ claim }) => claim)}::bigint[]`;
  return { ids, isOurs: sql`outbox.id = settled.id and outbox.claim = settled.claim` };
}

async function settleSent(db: Database, settled: readonly Of<'sent'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('sent');
  const { ids, isOurs } = ofOwner(settled);
  await sql`
    update outbox set ${set}, error_code = null, error = null, message_id = settled.message_id, result = settled.result::jsonb,
      attempts = greatest(attempts, 1), next_attempt_at = null
    from unnest(${ids}, ${settled.map(({ message_id }) => message_id)}::bigint[],
      ${settled.map(({ result }) => result)}::text[]) as settled(id, claim, message_id, result)
    where ${isOurs} and ${may}`.execute(db);
}

async function settleFailed(db: Database, settled: readonly Of<'fail'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('fail');
  const { ids, isOurs } = ofOwner(settled);
  await sql`
    update outbox set ${set}, error_code = settled.error_code, error = settled.error
    from unnest(${ids}, ${settled.map(({ error_code }) => error_code)}::integer[],
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

/**
 * Of a broadcast that was cancelled, what was not sent stays unsent. Once it has ended, what is being sent is what a person sent
 * again, which goes on.
 */
async function settleLapsed(db: Database, settled: readonly Of<'again' | 'hold'>[]): Promise<void> {
  if (settled.length === 0) return;
  const { may, set } = transition('lapse');
  const { ids, isOurs } = ofOwner(settled);
  await sql`
    update outbox set ${set}, error_code = null, error = settled.error,
      attempts = attempts - case when settled.counts then 0 else 1 end
    from unnest(${ids}, ${settled.map(({ error }) => storable(error))}::text[],
      ${settled.map((one) => one.event === 'again' && one.counts)}::boolean[]) as settled(id, claim, error, counts)
    where ${isOurs} and ${may} and exists (
      select from broadcasts where broadcasts.id = outbox.broadcast_id and broadcasts.state = 'cancelled'
        and (broadcasts.ended_at is null or outbox.state = 'in_doubt'))`.execute(db);
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
    from unnest(${ids}, ${settled.map(({ error_code }) => error_code)}::integer[],
      ${settled.map(({ error }) => storable(error))}::text[], ${settled.map(({ chat_id }) => chat_id)}::bigint[],
      ${settled.map(({ counts }) => counts)}::boolean[], ${settled.map(({ afterMs }) => afterMs)}::float8[])
      as settled(id, claim, error_code, error, chat_id, counts, after_ms)
    where ${isOurs} and ${may}`.execute(db);
}

function storable(error: string): string | null {
  const text = error.replaceAll('\0', '').slice(0, LONGEST_ERROR).toWellFormed();
  return text === '' ? null : text;
}
