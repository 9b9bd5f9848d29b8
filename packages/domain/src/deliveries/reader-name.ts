import type { DeliveryReader } from '@flotilla/contract/deliveries.ts';

/** A reader as dead letters name it: 'push', 'rules', 'history' or 'program:<id>'. */
export type ReaderName = { reader: DeliveryReader; programId: number | null };

export function parseReader(name: string): ReaderName {
  const [, programId] = /^program:(\d+)$/.exec(name) ?? [];
  if (programId !== undefined) return { reader: 'program', programId: Number(programId) };
  return { reader: name as DeliveryReader, programId: null };
}

/** The reader and its program, as answers name them. */
export function presentReader(name: string): { reader: DeliveryReader; program_id?: number } {
  const { reader, programId } = parseReader(name);
  return { reader, ...(programId === null ? {} : { program_id: programId }) };
}
