import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';

/** How often a rule acted. */
export type RuleHits = { ruleId: number; count: number };

const HITS = /^\d+ \d+( \d+ \d+)*$/;

/** One hit of each of these rules, one of which may be named several times: '5 1 8 3' is one of rule 5 and three of rule 8. */
export function hitsText(ruleIds: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const id of ruleIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flat().join(' ');
}

/** The reverse of `hitsText`. Throws if the text is another one. */
export function readHits(text: string): RuleHits[] {
  if (!HITS.test(text)) throw new Error('the hits (h) of the record are no pairs of numbers');
  const numbers = text.split(' ').map(Number);
  return numbers.flatMap((ruleId, at) => (at % 2 === 0 ? [{ ruleId, count: numbers[at + 1]! }] : []));
}

/** Adds hits to those of their rules, in a transaction; of rules that were deleted they are dropped. A known entry is not added again. */
export async function addRuleHits(
  db: Database,
  entries: readonly { key: string; atMs: number; hits: readonly RuleHits[] }[],
): Promise<void> {
  const rows = entries.flatMap(({ key, atMs, hits }) => {
    const [ms, seq] = key
      .slice(key.indexOf(':') + 1)
      .split('-')
      .map(Number);
    return hits.map(({ ruleId, count }) => ({ route_id: ruleId, count, at: new Date(atMs).toISOString(), ms, seq }));
  });
  // A statement of its own: the next one then sees what another writer of the same entries has stored.
  const ids = [...new Set(rows.map((row) => row.route_id))];
  await sql`select from routes where id = any(${ids}::bigint[]) order by id for no key update`.execute(db);
  await sql`
    insert into route_hits as known (route_id, hits, last_hit_at, counted_ms, counted_seq)
    select e.route_id, sum(e.count), max(e.at), max(e.ms), (array_agg(e.seq order by e.ms desc, e.seq desc))[1]
    from json_to_recordset(${JSON.stringify(rows)}::json) as e (
      route_id bigint, count bigint, at timestamptz, ms bigint, seq bigint)
    join routes r on r.id = e.route_id
    left join route_hits h on h.route_id = e.route_id
    where h.route_id is null or (e.ms, e.seq) > (h.counted_ms, h.counted_seq)
    group by e.route_id order by e.route_id
    on conflict (route_id) do update set hits = known.hits + excluded.hits, counted_ms = excluded.counted_ms,
      counted_seq = excluded.counted_seq, last_hit_at = greatest(known.last_hit_at, excluded.last_hit_at)`.execute(db);
}
