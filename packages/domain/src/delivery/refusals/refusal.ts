import type { ProgramRefusalReason } from '@flotilla/contract/program-refusals.ts';

/** A refusal of a program. It holds no value of a parameter but the id of a chat. */
export type Refusal = {
  /** Null for a call in the answer of a backend that people set. */
  tokenId: number | null;
  /** In lower case; '' if the call named none. */
  method: string;
  reason: ProgramRefusalReason;
  /** The answer to the caller; nobody is told of a call in an answer. */
  description: string;
  chatId: number | null;
};

/** A refusal with the time when it last happened. */
export type ListedRefusal = Refusal & { atMs: number };

export const REFUSALS_KEPT = 20;
