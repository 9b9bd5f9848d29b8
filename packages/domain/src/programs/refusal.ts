import type { ProgramRefusalReason } from '@flotilla/contract/program-refusals.ts';

/** What a token of a program was refused. It holds no value of a parameter but the id of a chat. */
export type Refusal = {
  tokenId: number;
  /** In lower case; '' if the call named none. */
  method: string;
  reason: ProgramRefusalReason;
  /** What the caller was told. */
  description: string;
  chatId: number | null;
};

/** A refusal with the time when it last happened. */
export type ListedRefusal = Refusal & { atMs: number };

export const REFUSALS_KEPT = 20;
