import type { ActiveProgram } from '../../fleet/bots/active-program.ts';

/**
 * A named reader of a bot's updates: it asks for them (pull), or gets them at its backend (push). Never log the whole
 * object, because it contains secrets.
 */
export type Program = Omit<ActiveProgram, 'tokens'> & { botId: number; createdAt: Date };

/** The fields of a program that its author chooses. */
export type ProgramContent = Omit<
  Program,
  'id' | 'botId' | 'createdAt' | 'signing' | 'webhookTokenId' | 'webhookKinds'
>;
/** An undefined field keeps its value. */
export type ProgramChanges = { [Name in keyof ProgramContent]?: ProgramContent[Name] | undefined } & {
  webhookTokenId?: number | null;
  webhookKinds?: string[] | null;
};

/** The fields that turn a program into one that pulls and has no backend. */
export const NO_BACKEND = {
  mode: 'pull',
  backendUrl: '',
  secretToken: '',
  backendCertificate: '',
  backendIpAddress: '',
  webhookKinds: null,
} as const;
