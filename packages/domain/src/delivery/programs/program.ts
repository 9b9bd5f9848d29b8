import type { ActiveProgram } from '../../fleet/bots/active-program.ts';

/**
 * A named reader of a bot's updates: it asks for them (pull), or gets them at its backend (push). Never log the whole
 * object, because it contains secrets.
 */
export type Program = Omit<ActiveProgram, 'tokens'> & { bot_id: number; created_at: Date };

/** The fields of a program that its author chooses. */
export type ProgramContent = Omit<
  Program,
  'id' | 'bot_id' | 'created_at' | 'signing' | 'webhook_token_id' | 'webhook_kinds' | 'chats_revision'
>;
/** An undefined field keeps its value. */
export type ProgramChanges = { [Name in keyof ProgramContent]?: ProgramContent[Name] | undefined } & {
  webhook_token_id?: number | null;
  webhook_kinds?: string[] | null;
};

/** The fields that turn a program into one that pulls and has no backend. */
export const NO_BACKEND = {
  mode: 'pull',
  backend_url: '',
  secret_token: '',
  backend_certificate: '',
  backend_ip_address: '',
  webhook_kinds: null,
} as const;
