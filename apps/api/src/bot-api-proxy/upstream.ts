import { Pool } from 'undici';
import { collectBuffers } from './collect-buffers.ts';
import type { ProxySettings } from './proxy-deps.ts';

export type Upstream = {
  dispatcher: Pool;
  /** The path of TELEGRAM_API_URL, '' when it has none. */
  basePath: string;
  /** How long a captured call's answer is waited for once its client has gone. */
  readOnMs: number;
  /** To be told of the bytes of large bodies, so that their buffers do not pile up. */
  streamed(bytes: number): void;
};

const CONNECT_MS = 10_000;
/** Uploads of gigabytes to a platform server of one's own are answered only when that has passed them on. */
const SILENCE_MS = 300_000;
/** Longer than most clients wait themselves; a stop of the process waits for less. */
const READ_ON_MS = 60_000;
const MAX_HEADER_BYTES = 256 * 1024;

/**
 * Kept-alive connections to the platform, as many as calls are under way, one call at a time on each: nothing is
 * pipelined, so nothing is ever sent a second time. HTTP/1.1 only, which keeps header names and framing as they are.
 */
export function connectUpstream(settings: ProxySettings): Upstream {
  const url = new URL(settings.platformUrl);
  const silenceMs = settings.platformTimeoutMs ?? SILENCE_MS;
  const dispatcher = new Pool(url.origin, {
    pipelining: 1,
    allowH2: false,
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: { timeout: CONNECT_MS },
  });
  return {
    dispatcher,
    basePath: url.pathname.replace(/\/+$/, ''),
    readOnMs: settings.readOnMs ?? READ_ON_MS,
    streamed: collectBuffers(),
  };
}
