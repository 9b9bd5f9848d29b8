import type { NoteResource } from '@flotilla/contract/notes.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../call.ts';

export const MENTIONS = ['mentions'];
export type Mentions = NoteResource[];

const ASK_EVERY_MS = 60_000;
const SHOWN = 20;

/** The notes that mention the account, and that it has not read. */
export const mentionsQuery = queryOptions({
  queryKey: MENTIONS,
  queryFn: ({ signal }): Promise<Mentions> => call('listNotes', { unread: true, limit: SHOWN }, signal),
  refetchInterval: ASK_EVERY_MS,
  staleTime: ASK_EVERY_MS,
  retry: false,
});
