import type { DeliveryReader } from '@flotilla/contract/deliveries.ts';
import { programOfReader } from '../../fleet/bots/active-program.ts';

/** A reader as dead letters name it: 'push', 'rules', 'history' or 'program:<id>'. */
export type ReaderName = { reader: DeliveryReader; program_id: number | null };

export function parseReader(name: string): ReaderName {
  const program_id = programOfReader(name);
  return { reader: program_id === null ? (name as DeliveryReader) : 'program', program_id };
}

/** The reader and its program, as answers name them. */
export function presentReader(name: string): { reader: DeliveryReader; program_id?: number } {
  const { reader, program_id } = parseReader(name);
  return { reader, ...(program_id === null ? {} : { program_id }) };
}
