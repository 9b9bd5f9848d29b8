import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReaderResource } from '@flotilla/contract/readers.ts';

/** A program with its reader, or a reader of the bot itself. The reader is not known at first. */
export type ReaderRow =
  | { program: ProgramResource; reader: ReaderResource | undefined }
  | { program: null; reader: ReaderResource };

/** First what reads with the bot's own token, as far as it reads; then the programs. */
export function readerRows(programs: readonly ProgramResource[], readers: readonly ReaderResource[]): ReaderRow[] {
  const own = readers.filter(
    ({ reader, state, behind }) => /^(push|pull|consumer:.+)$/.test(reader) && (state !== 'off' || behind > 0),
  );
  return [
    ...own.map((reader) => ({ program: null, reader })),
    ...programs.map((program) => ({
      program,
      reader: readers.find(({ reader }) => reader === `program:${program.id}`),
    })),
  ];
}
