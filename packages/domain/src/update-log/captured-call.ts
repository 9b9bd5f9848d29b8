/** A Bot API call that succeeded, as the history keeps it. */
export type CapturedCall = {
  /** Lower case. */
  method: string;
  params: Record<string, string>;
  /** Raw JSON of the platform's `result`. */
  result: string;
  /** Who had the bot make it, by REST; absent where the bot's own program did. */
  actor?: CallActor;
};

/** The account that stands behind a call, and the key under which its audit entry is written once. */
export type CallActor = { accountId: number; username: string; auditKey: string };

/** Calls of one bot that go on its history stream together, once however often that is tried. */
export type CallBatch = {
  /** The process that saw them, and a number above those of its earlier batches. */
  process: string;
  number: number;
  calls: SeenCall[];
};

export type SeenCall = CapturedCall & {
  /** When it was seen to succeed; Unix ms. */
  atMs: number;
  /** Under which its audit entry is written once; '' for calls that leave none. */
  id: string;
};
