import type { DeliveryReader } from '@flotilla/contract/deliveries.ts';
import { programOfReader } from '../../fleet/bots/active-program.ts';

/** A reader as dead letters name it: 'push', 'rules', 'history' or 'program:<id>'. */
export type ReaderName = { reader: DeliveryReader; programId: number | null };

export function parseReader(name: string): ReaderName {
  const programId = programOfReader(name);
  return { reader: programId === null ? (name as DeliveryReader) : 'program', programId };
}

/** The reader and its program, as answers name them. */
export function presentReader(name: string): { reader: DeliveryReader; program_id?: number } {
  const { reader, programId } = parseReader(name);
  return { reader, ...(programId === null ? {} : { program_id: programId }) };
}
