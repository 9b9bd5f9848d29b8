import type { AttentionKind, AttentionResource } from '@flotilla/contract/attention.ts';
import { ATTENTION_KINDS } from './fleet-filter.ts';

/** So many entries are grouped on the page. */
export const MOST_ENTRIES = 300;

/** Several bots that have the same trouble for the same reason. */
export type Incident = {
  key: string;
  kind: AttentionKind;
  /** In words, of the one that has lasted longest. */
  text: string;
  botIds: number[];
  programIds: number[];
  since: string | undefined;
  waiting: number;
  entries: AttentionResource[];
};

/** Groups what is wrong by its cause, in the order given: the worst first. What is about a process is told elsewhere. */
export function incidentsOf(entries: readonly AttentionResource[]): Incident[] {
  const incidents = new Map<string, Incident>();
  for (const entry of entries) {
    const kind = ATTENTION_KINDS.find((one) => one === entry.kind);
    if (kind === undefined || entry.bot_id === undefined) continue;
    const key = `${kind} ${causeOf(entry)}`;
    const known = incidents.get(key);
    if (known === undefined) incidents.set(key, begun(key, kind, entry));
    else add(known, entry);
  }
  return [...incidents.values()];
}

/** Errors of one cause differ in names, times and numbers, but not in addresses and statuses. */
function causeOf({ text }: AttentionResource): string {
  return text.replace(/"[^"]*"/g, '""').replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '');
}

function begun(key: string, kind: AttentionKind, entry: AttentionResource): Incident {
  const { bot_id, program_id, text, since, waiting = 0 } = entry;
  const programIds = program_id === undefined ? [] : [program_id];
  return { key, kind, text, botIds: [bot_id!], programIds, since, waiting, entries: [entry] };
}

function add(incident: Incident, entry: AttentionResource): void {
  if (!incident.botIds.includes(entry.bot_id!)) incident.botIds.push(entry.bot_id!);
  if (entry.program_id !== undefined) incident.programIds.push(entry.program_id);
  incident.waiting += entry.waiting ?? 0;
  incident.entries.push(entry);
}
