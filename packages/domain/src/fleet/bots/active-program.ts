import type { Role } from '@flotilla/contract/accounts.ts';
import type { Priority } from '@flotilla/contract/outbox.ts';
import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { Signing } from './signing.ts';

/** A program as the configuration of its bot carries it. Never log the whole object, because it contains secrets. */
export type ActiveProgram = {
  id: number;
  name: string;
  enabled: boolean;
  /** Empty: the platform's default set. */
  kinds: string[];
  mode: 'pull' | 'push';
  /** '' when unset, like the next two. A program that pulls may keep it for later. */
  backend_url: string;
  secret_token: string;
  /** PEM. */
  backend_certificate: string;
  /** The address to which the host of `backend_url` is pinned, or ''. */
  backend_ip_address: string;
  /** The token that set the backend, with whose limits it acts; null if people set it. */
  webhook_token_id: number | null;
  /** The kinds that this token asks for; of these the backend gets those that the program may see. Null: all of them. */
  webhook_kinds: string[] | null;
  /** The role of who gave the backend by REST: the calls in its answers are those that this role may allow. */
  backend_role: Role;
  max_connections: number;
  /** The same as of a bot. */
  silent_after_s: number;
  filter: ProgramFilter;
  /** It takes alone what its kinds and its filter select; of several such programs the one with the lowest order. */
  exclusive: boolean;
  order: number;
  /** It also gets the updates of chats that a person has taken over. */
  sees_held: boolean;
  /** The highest one of what its tokens hand over to the outbox. */
  priority: Priority;
  /** Null if deliveries are not signed. */
  signing: Signing | null;
  tokens: ActiveToken[];
};

/** The same as a row has it: its secrets are sealed. */
export type StoredProgram = Omit<ActiveProgram, 'backend_url' | 'secret_token' | 'signing'> & {
  backend_url_sealed: string;
  secret_token_sealed: string;
  signing_sealed: string;
};

/** The limits of a program's token. null: no limit. */
export type ActiveToken = {
  id: number;
  /** SHA-256, hex. */
  hash: string;
  /** Names of methods and groups. */
  methods: string[] | null;
  chats: number[] | null;
  /** Topics of its one chat. */
  threads: number[] | null;
  per_second: number | null;
  per_minute: number | null;
  /** null: that of its program. */
  priority: Priority | null;
  expiresAtMs: number | null;
};

/** The reader of a program, and its consumer; no client can choose such a name. */
export function programReaderName(programId: number): string {
  return `program:${programId}`;
}

const PROGRAM_READER = /^program:(\d+)$/;

/** The program of a reader with such a name; null of other readers. */
export function programOfReader(reader: string | null): number | null {
  const [, id] = PROGRAM_READER.exec(reader ?? '') ?? [];
  return id === undefined ? null : Number(id);
}
