import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { CallError } from '../../call.ts';
import { faultsOf } from '../../parts/form-faults.ts';
import type { ProgramsWords } from './programs-words.ts';

/** What the fields say about what a program sees. */
export type Sight = {
  name: string;
  /** null: the default of the platform. */
  kinds: readonly string[] | null;
};

export const NEW_SIGHT: Sight = { name: '', kinds: null };

export function sightOf({ name, kinds }: ProgramResource): Sight {
  return { name, kinds: kinds.length === 0 ? null : kinds };
}

export function sightInput({ name, kinds }: Sight) {
  return { name: name.trim(), kinds: [...(kinds ?? [])] };
}

export type SightFaults = Readonly<Record<string, string | undefined>>;

/** What the api refused, at its field; another program with the name is a fault of the name. */
export function sightFaults(error: Error | null, words: ProgramsWords): { faults: SightFaults; other: Error | null } {
  if (error instanceof CallError && error.code === 'conflict')
    return { faults: { name: words.nameTaken }, other: null };
  return faultsOf(error, ['name', 'kinds']);
}

/** What the page can say before it asks the api. */
export function localSightFaults({ name, kinds }: Sight, taken: readonly string[], words: ProgramsWords): SightFaults {
  const fault = name.trim() === '' ? words.nameBlank : taken.includes(name.trim()) ? words.nameTaken : undefined;
  return { ...(fault === undefined ? {} : { name: fault }), ...(kinds?.length === 0 ? { kinds: '' } : {}) };
}
