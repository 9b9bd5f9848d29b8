import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { CallError } from '../../call.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { faultsOf } from '../../parts/form-faults.ts';
import { isMasked } from '../../parts/is-masked.ts';
import type { Faults } from '../../parts/use-form.ts';
import type { Backend } from '../bot/backend-fields.tsx';
import { type Filter, filterInput, filterOf } from './filter.ts';
import type { ProgramsWords } from './programs-words.ts';

/** The fields of a program's filter, and of how it gets updates. */
export type Sight = Backend & {
  name: string;
  /** null: the default of the platform. */
  kinds: readonly string[] | null;
  mode: ProgramResource['mode'];
  /** null: every update of the kinds. */
  filter: Filter | null;
  exclusive: boolean;
  sees_held: boolean;
  order: string;
  silent_after_s: string;
};

export const NEW_SIGHT: Sight = {
  ...{ name: '', kinds: null, filter: null, exclusive: false, sees_held: false, order: '100', silent_after_s: '300' },
  ...{ mode: 'pull', backend_url: '', secret_token: null, max_connections: '40' },
};

export function sightOf(program: ProgramResource): Sight {
  const { name, kinds, filter, exclusive, sees_held, order, mode, backend_url, max_connections, silent_after_s } =
    program;
  return {
    ...{ name, exclusive, sees_held, mode, backend_url, secret_token: null },
    kinds: kinds.length === 0 ? null : kinds,
    filter: filterOf(filter),
    order: String(order),
    silent_after_s: String(silent_after_s),
    max_connections: String(max_connections),
  };
}

/** All that the fields say; of the backend only what differs from `known`, because its URL is masked there. */
export function sightInput(sight: Sight, known: Sight) {
  const { name, kinds, filter, exclusive, sees_held, order, mode } = sight;
  const { secret_token: secret, max_connections: connections, silent_after_s: silentAfter } = sight;
  const url = sight.backend_url.trim();
  return {
    ...{ name: name.trim(), kinds: [...(kinds ?? [])], filter: filterInput(filter), exclusive, sees_held, mode },
    ...(order === known.order ? {} : { order }),
    ...(silentAfter === known.silent_after_s ? {} : { silent_after_s: silentAfter }),
    ...(url === known.backend_url ? {} : { backend_url: url }),
    ...(secret === null ? {} : { secret_token: secret }),
    ...(connections === known.max_connections ? {} : { max_connections: connections }),
  };
}

/** The fields that differ from `known`. */
export function sightChanges(sight: Sight, known: Sight): Partial<ReturnType<typeof sightInput>> {
  return changedFields(sightInput(sight, known), sightInput(known, known));
}

const FIELDS = [
  ...['name', 'kinds', 'exclusive', 'order', 'mode', 'backend_url', 'secret_token', 'max_connections'],
  'silent_after_s',
  ...[
    'filter.chat_ids',
    'filter.thread_ids',
    'filter.chat_types',
    'filter.user_ids',
    'filter.commands',
    'filter.keyword',
    'filter.text',
    'filter',
  ],
];
export type SightProps = {
  bot_id: number;
  sight: Sight;
  change: (changed: Partial<Sight>) => void;
  faults: Faults;
};

/** The refusals of the api, each at its field; another program with the name is a fault of the name. */
export function sightFaults(error: Error | null, words: ProgramsWords): { faults: Faults; other: Error | null } {
  if (error instanceof CallError && error.code === 'conflict') {
    return { faults: { name: words.nameTaken }, other: null };
  }
  return faultsOf(error, FIELDS);
}

/** The faults that the page finds before it asks the api. */
export function localSightFaults(sight: Sight, known: Sight, taken: readonly string[], words: ProgramsWords): Faults {
  const { kinds, mode, backend_url: url } = sight;
  const name = sight.name.trim();
  const faults = {
    name: name === '' ? words.nameBlank : taken.includes(name) ? words.nameTaken : undefined,
    kinds: kinds?.length === 0 ? words.noKind : undefined,
    filter: sight.filter !== null && isEmpty(filterInput(sight.filter)) ? words.filter.empty : undefined,
    backend_url: urlFault(url.trim(), known.backend_url, mode, words),
  };
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));
}

function isEmpty(filter: object): boolean {
  return Object.keys(filter).length === 0;
}

function urlFault(url: string, known: string, mode: Sight['mode'], words: ProgramsWords): string | undefined {
  if (mode === 'push' && url === '') return words.urlBlank;
  return url !== known && isMasked(url) ? words.urlMasked : undefined;
}
