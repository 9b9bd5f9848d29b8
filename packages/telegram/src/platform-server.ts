import type { LookupFunction } from 'node:net';
import type { ProxyTarget } from '@flotilla/runtime/proxy-url.ts';

/** Where a Bot API server is, and the way there. */
export type PlatformServer = {
  /** May contain a path; a trailing slash does not matter. */
  apiUrl: string;
  /** null: straight. */
  proxy?: ProxyTarget | null;
  /** True: its bots are of the platform's test environment. */
  isTest?: boolean;
  guard?: ServerGuard;
  /** Where the files of a bot are below `apiUrl`; absent: as at the platform. */
  filePath?: (token: string) => string;
};

/** Keeps connections to addresses that may be connected to. */
export type ServerGuard = {
  /** For names. A literal address never reaches a lookup, so `forbidden` is asked before every connection. */
  lookup: LookupFunction;
  /** Why nothing may be sent there now; null: it may. */
  forbidden(): string | null;
};

/** A server that an admin added, as every process knows it. Never log the whole object: `proxy` may have a password. */
export type UpstreamServer = {
  name: string;
  url: string;
  environment: 'production' | 'test';
  /** '' is that of TELEGRAM_PROXY, 'direct' none. */
  proxy: string;
  /** '' is PUBLIC_URL. */
  webhook_url: string;
  /** The working directory of a server in local mode, or a URL that serves it; '': the server serves files. */
  files: string;
  /** Files below this directory of the server's disk may be sent by `file:`; '': none may. */
  uploads: string;
};

/** The server of a bot. */
export type AtServer = {
  upstream: string;
  /** null for the server of TELEGRAM_API_URL. */
  server: UpstreamServer | null;
};

/** The segment before the method, and before a file's path. */
export function environmentPath(server: Pick<PlatformServer, 'isTest'>): string {
  return server.isTest === true ? '/test' : '';
}
