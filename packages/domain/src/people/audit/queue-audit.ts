import { type RawBuilder, sql } from 'kysely';

/**
 * SQL that queues the entries of `inserted` (id, date, bot_id) for every sink that takes them, as the rest of the statement that
 * inserts them, and returns their id and date: an entry is queued if and only if it is stored. A sink that is being changed or removed is
 * waited for.
 */
export function queueForSinks(inserted: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    with entry as (${inserted} returning id, date, bot_id), queued as (
      insert into audit_deliveries (sink_id, entry_id, entry_date)
      select s.id, entry.id, entry.date from entry
      join event_sinks s on s.audit and s.enabled
        and (s.bot_ids is null or (entry.bot_id is not null and s.bot_ids @> to_jsonb(entry.bot_id)))
      order by s.id, entry.id for key share of s
    )
    select id, date from entry`;
}
