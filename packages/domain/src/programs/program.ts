import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { Signing } from '../bots/signing.ts';

/**
 * A named reader of a bot's updates: it asks for them (pull), or gets them at its backend (push). Never log the whole
 * object, because it contains secrets.
 */
export interface Program {
  id: number;
  botId: number;
  name: string;
  mode: 'pull' | 'push';
  /** '' when unset, like the next two. A program that pulls may keep it for later. */
  backendUrl: string;
  secretToken: string;
  /** PEM. */
  backendCertificate: string;
  /** The token that set the backend, with whose limits it acts; null if people set it. */
  webhookTokenId: number | null;
  maxConnections: number;
  /** Null if deliveries are not signed. */
  signing: Signing | null;
  /** Empty: the platform's default set. */
  kinds: string[];
  filter: ProgramFilter;
  /** It takes alone what its kinds and its filter select; of several such programs the one with the lowest position. */
  exclusive: boolean;
  position: number;
  enabled: boolean;
  createdAt: Date;
}

/** The fields of a program that its author chooses. */
export type ProgramContent = Omit<Program, 'id' | 'botId' | 'createdAt' | 'signing' | 'webhookTokenId'>;
/** An undefined field keeps its value. */
export type ProgramChanges = { [Name in keyof ProgramContent]?: ProgramContent[Name] | undefined } & {
  webhookTokenId?: number | null;
};

/** What makes a program one that pulls and keeps nothing of its backend. */
export const NO_BACKEND = { mode: 'pull', backendUrl: '', secretToken: '', backendCertificate: '' } as const;
