import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Response } from 'express';
import type { Context } from '../context.ts';
import { showRateLimits } from '../http/rate-limit-headers.ts';
import type { McpReach } from './tool.ts';

/** The chats of a key whose bots its account still sees; null for a key of REST. */
export function reachOf(caller: Caller): McpReach | null {
  const { mcp: right = null, mcp_chats = null } = caller.apiKey ?? {};
  return right === null ? null : { right, chats: (mcp_chats ?? []).filter(({ bot_id }) => seesBot(caller, bot_id)) };
}

type Seen = { caller: Caller; version: string | null; mcp: McpReach };

/** Runs work until the key ends or loses a chat; then its answer is not given. */
export async function whileSeen(
  { credentialWatch }: Context,
  { caller, version, mcp }: Seen,
  work: (ended: AbortSignal) => Promise<() => void>,
): Promise<void> {
  const ended = new AbortController();
  const held = credentialWatch.hold({ caller, session: null, version }, (now) => {
    const chats = now === null ? 0 : reachOf(now)?.chats.length;
    if (now !== null && chats === mcp.chats.length) return;
    ended.abort(new FlotillaError('unauthorized', 'The API key has ended, or its account sees fewer bots'));
  });
  try {
    const give = await work(ended.signal);
    ended.signal.throwIfAborted();
    give();
  } finally {
    held.release();
  }
}

/** Runs work of a key for an answer. Throws 'too_many_requests' if as much of that key runs already. */
export type KeyLimit = (keyId: number, response: Response, work: () => Promise<void>) => Promise<void>;

export function keyLimit(atMost: number): KeyLimit {
  const running = new Map<number, number>();
  return async (keyId, response, work) => {
    const before = running.get(keyId) ?? 0;
    showRateLimits(response, [{ name: 'mcp-requests', quota: atMost, remaining: atMost - before - 1, window: null }]);
    if (before >= atMost) {
      throw new FlotillaError('too_many_requests', `A key may have ${atMost} requests at once`, { retryAfterS: 1 });
    }
    running.set(keyId, before + 1);
    try {
      await work();
    } finally {
      const left = (running.get(keyId) ?? 1) - 1;
      if (left === 0) running.delete(keyId);
      else running.set(keyId, left);
    }
  };
}
