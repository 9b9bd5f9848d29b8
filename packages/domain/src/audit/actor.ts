/** The author of an audited action. */
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
  /** Nobody was signed in: an operator at the machine, or a failed sign-in. */
  | { kind: 'nobody'; address: string | null };

/** The operator, acting by settings or commands. */
export const OPERATOR: Actor = { kind: 'nobody', address: null };
