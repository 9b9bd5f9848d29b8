import type { IncomingMessage } from 'node:http';
import type { CallerOfOwner } from '@flotilla/runtime/call-counts.ts';

/** The sender of a body whose token, key or secret we have checked. */
export type KnownSender = CallerOfOwner;

type Checked = IncomingMessage & { knownSender?: KnownSender };

/** How long a body that is held in memory may take. */
const WHOLE_WITHIN_MS = 8_000;
/** The small body of a known sender may take longer: 64 KiB at the least rate of cutSlowClients take four minutes. */
const SMALL_WITHIN_MS = 300_000;
/** Only so much is held of a body that takes longer, because a few slow ones could fill the memory that all share. */
const SMALL_BYTES = 64 * 1024;

/** A token, key or secret of this request was checked: its small body, too, is judged by its progress. */
export function noteKnownSender(request: IncomingMessage, sender: KnownSender): void {
  (request as Checked).knownSender = sender;
}

/** null: a stranger. */
export function knownSender(request: IncomingMessage): KnownSender | null {
  return (request as Checked).knownSender ?? null;
}

/**
 * Ends the request if its body, which is held in memory, is not complete in time: within 8 s, or within five minutes if its
 * sender is known and at most 64 KiB of it are held. Returns how to stop watching.
 */
export function cutLateBody(request: IncomingMessage, heldBytes: () => number): () => void {
  const begunAtMs = performance.now();
  const timer = setInterval(() => {
    const isSmall = heldBytes() <= SMALL_BYTES && performance.now() - begunAtMs < SMALL_WITHIN_MS;
    if (!isSmall || knownSender(request) === null) request.destroy();
  }, WHOLE_WITHIN_MS);
  return () => clearInterval(timer);
}
