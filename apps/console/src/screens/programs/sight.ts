import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { CallError } from '../../call.ts';
import { faultsOf } from '../../parts/form-faults.ts';
import { isMasked } from '../bot/settings-draft.ts';
import { type Filter, filterInput, filterOf } from './filter.ts';
import type { ProgramsWords } from './programs-words.ts';

/** What the fields say about what a program sees, and how it gets that. */
export type Sight = {
  name: string;
  /** null: the default of the platform. */
  kinds: readonly string[] | null;
  mode: ProgramResource['mode'];
  url: string;
  /** null: nothing was typed; '': the secret goes. */
  secret: string | null;
  connections: string;
  /** null: every update of the kinds. */
  filter: Filter | null;
  exclusive: boolean;
  position: string;
};

export const NEW_SIGHT: Sight = {
  ...{ name: '', kinds: null, filter: null, exclusive: false, position: '100' },
  ...{ mode: 'pull', url: '', secret: null, connections: '40' },
};

export function sightOf(program: ProgramResource): Sight {
  const { name, kinds, filter, exclusive, position, mode, backend_url: url, max_connections: connections } = program;
  return {
    ...{ name, exclusive, mode, url, secret: null },
    kinds: kinds.length === 0 ? null : kinds,
    filter: filterOf(filter),
    position: String(position),
    connections: String(connections),
  };
}

/** All that the fields say; of the backend only what differs from `known`, because its URL is masked there. */
export function sightInput(sight: Sight, known: Sight) {
  const { name, kinds, filter, exclusive, position, mode, url, secret, connections } = sight;
  return {
    ...{ name: name.trim(), kinds: [...(kinds ?? [])], filter: filterInput(filter), exclusive, mode },
    ...(position === known.position ? {} : { position }),
    ...(url.trim() === known.url ? {} : { backend_url: url.trim() }),
    ...(secret === null ? {} : { secret_token: secret }),
    ...(connections === known.connections ? {} : { max_connections: connections }),
  };
}

const FIELDS = [
  ...['name', 'kinds', 'exclusive', 'position', 'mode', 'backend_url', 'secret_token', 'max_connections'],
  ...[
    'filter.chats',
    'filter.chat_types',
    'filter.users',
    'filter.commands',
    'filter.keywords',
    'filter.text',
    'filter',
  ],
];
export type SightFaults = Readonly<Record<string, string | undefined>>;

/** What the api refused, at its field; another program with the name is a fault of the name. */
export function sightFaults(error: Error | null, words: ProgramsWords): { faults: SightFaults; other: Error | null } {
  if (error instanceof CallError && error.code === 'conflict') {
    return { faults: { name: words.nameTaken }, other: null };
  }
  return faultsOf(error, FIELDS);
}

/** What the page can say before it asks the api. */
export function localSightFaults(
  sight: Sight,
  known: Sight,
  taken: readonly string[],
  words: ProgramsWords,
): SightFaults {
  const { kinds, mode, url } = sight;
  const name = sight.name.trim();
  const faults = {
    name: name === '' ? words.nameBlank : taken.includes(name) ? words.nameTaken : undefined,
    kinds: kinds?.length === 0 ? words.noKind : undefined,
    filter: sight.filter !== null && isEmpty(filterInput(sight.filter)) ? words.filter.empty : undefined,
    backend_url: urlFault(url.trim(), known.url, mode, words),
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
