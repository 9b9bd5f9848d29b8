import type { PlatformEnvironment } from '@flotilla/contract/upstreams.ts';
import type { ProxyTarget } from '@flotilla/runtime/proxy-url.ts';

/** Where a Bot API server is, and the way there. */
export type PlatformServer = {
  /** May contain a path; a trailing slash does not matter. */
  apiUrl: string;
  /** null: straight. */
  proxy?: ProxyTarget | null;
  /** True: its bots are of the platform's test environment. */
  isTest?: boolean;
  /** Where the files of a bot are below `apiUrl`; absent: as at the platform. */
  filePath?: (token: string) => string;
  /** The most that is read from a connection at once; absent: as Node does. A download whose client stops reading holds a few times this. */
  readBytes?: number;
  /** Tells the operator what others must not see: which address gave no answer, and why. */
  noteFailure?: (message: string) => void;
};

/** The server of a bot: the name of one of the settings, and the environment there. */
export type AtServer = {
  upstream: string;
  environment: PlatformEnvironment;
  /** Of a bot: how often it had come to another server when its caller read it. */
  moves?: number;
};

/** The segment before the method, and before a file's path. */
export function environmentPath(server: Pick<PlatformServer, 'isTest'>): string {
  return server.isTest === true ? '/test' : '';
}
