import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';

/** Deliveries that somebody has selected, by `keyOf`. */
export type Selected = ReadonlyMap<string, DeliveryResource>;

export const NOTHING: Selected = new Map();

/** A job takes at most 1,000 ids. */
const SELECTED_AT_MOST = 1_000;

export function keyOf({ id, bot_id: bot, reader, program_id: program, update_id: update }: DeliveryResource): string {
  return id === undefined ? `${bot} ${reader} ${program ?? ''} ${update}` : String(id);
}

export function changed(selected: Selected, row: DeliveryResource, on: boolean): Selected {
  const next = new Map(selected);
  if (!on) next.delete(keyOf(row));
  else if (next.size < SELECTED_AT_MOST) next.set(keyOf(row), row);
  return next;
}

/** The ids of failed deliveries. */
export function idsOf(selected: Selected): number[] {
  return [...selected.values()].flatMap(({ id }) => id ?? []);
}

type Acted = { bot_id: number; reader: 'push' | 'rules' | 'program'; program_id?: number; update_ids: number[] };

/** Updates that are retried, by the reader of a bot: a call takes those of one. The history retries none. */
export function callsFor(rows: Iterable<DeliveryResource>): Acted[] {
  const calls = new Map<string, Acted>();
  for (const { bot_id, reader, program_id, update_id } of rows) {
    if (reader === 'history') continue;
    const name = `${bot_id} ${reader} ${program_id}`;
    const known = calls.get(name) ?? { bot_id, reader, ...(program_id && { program_id }), update_ids: [] };
    known.update_ids.push(update_id);
    calls.set(name, known);
  }
  return [...calls.values()];
}
