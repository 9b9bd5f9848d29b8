/** The author of an audited action. */
export type Actor =
  | {
      kind: 'account';
      accountId: number;
      username: string;
      /** The API key that was used, or null for a session. */
      keyId: number | null;
      address: string | null;
    }
  /** The program that has the token of the entry's bot. */
  | { kind: 'bot'; address: string | null }
  /** Nobody was signed in: an operator at the machine, or a failed sign-in. */
  | { kind: 'nobody'; address: string | null };

/** The operator, acting by settings or commands. */
export const OPERATOR: Actor = { kind: 'nobody', address: null };
