import type { Priority } from '@flotilla/contract/outbox.ts';
import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { ProgramRow } from '@flotilla/contract/programs.ts';
import type { Signing } from './signing.ts';

/** These fields are sealed in the row, JSON there, or under another name. Strings are '' when unset. */
type Opened = {
  backend_url: string;
  secret_token: string;
  /** Null if deliveries are not signed. */
  signing: Signing | null;
  /** Empty: the platform's default set. */
  kinds: string[];
  /** The kinds that the token of the backend asks for; it gets those that the program may see. Null: all of them. */
  webhook_kinds: string[] | null;
  filter: ProgramFilter;
  /** Of several exclusive programs that select an update, the one with the lowest order takes it. */
  order: number;
};

type Sealed = 'backend_url_sealed' | 'secret_token_sealed' | 'signing_sealed';
/** Only the list of programs needs these. */
type Unmirrored = 'bot_id' | 'created_at' | 'backend_by' | 'backend_by_key' | 'signing_by' | 'signing_by_key';

/** A program as the configuration of its bot carries it. Never log the whole object, because it contains secrets. */
export type ActiveProgram = Omit<ProgramRow, Sealed | Unmirrored | 'position' | keyof Opened> &
  Opened & { tokens: ActiveToken[] };

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
