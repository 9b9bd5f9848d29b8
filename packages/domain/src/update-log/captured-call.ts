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
