/** A program as the configuration of its bot carries it. */
export type ActiveProgram = {
  id: number;
  name: string;
  enabled: boolean;
  /** Empty: the platform's default set. */
  kinds: string[];
  tokens: ActiveToken[];
};

/** What a token of a program may do. null: no limit. */
export type ActiveToken = {
  id: number;
  /** SHA-256, hex. */
  hash: string;
  /** Names of methods and groups. */
  methods: string[] | null;
  chats: number[] | null;
  perSecond: number | null;
  perMinute: number | null;
  expiresAtMs: number | null;
};
