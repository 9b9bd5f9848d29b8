/** Who stands behind something that is audited. */
export type Actor =
  | {
      kind: 'account';
      accountId: number;
      username: string;
      /** The API key that was used; null: a session. */
      keyId: number | null;
      address: string | null;
    }
  /** The program of the bot that the entry is about: whoever has its token. */
  | { kind: 'bot'; address: string | null }
  /** Nobody who was signed in: an operator at the machine, or a sign-in that failed. */
  | { kind: 'nobody'; address: string | null };

/** Who runs the service: the settings it starts with, and the commands beside it. */
export const OPERATOR: Actor = { kind: 'nobody', address: null };
