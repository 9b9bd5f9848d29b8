import { given, readId } from '../../parts/filters.tsx';

/** Which program is open beside the list, or that one is added. */
export type ProgramsAddress = { open?: string; view?: 'add' };

export function readProgramsAddress({ open, view }: Record<string, unknown>): ProgramsAddress {
  return given({ open: readId(open), view: view === 'add' ? ('add' as const) : undefined });
}
