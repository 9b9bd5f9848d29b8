import type { IncomingMessage } from 'node:http';

/** The sender of a body: `known` if we have checked a token, key or secret. */
export type Sender = 'known' | 'stranger';

type Checked = IncomingMessage & { senderIsKnown?: true };

/** How long a body that is held in memory may take. */
const WHOLE_WITHIN_MS = 8_000;
/** The small body of a known sender may take longer: 64 KiB at the least rate of cutSlowClients take four minutes. */
const SMALL_WITHIN_MS = 300_000;
/** Only so much is held of a body that takes longer, because a few slow ones could fill the memory that all share. */
const SMALL_BYTES = 64 * 1024;

/** A token, key or secret of this request was checked: its small body, too, is judged by its progress. */
export function noteKnownSender(request: IncomingMessage): void {
  (request as Checked).senderIsKnown = true;
}

export function hasKnownSender(request: IncomingMessage): boolean {
  return (request as Checked).senderIsKnown === true;
}

/**
 * Ends the request if its body, which is held in memory, is not complete in time: within 8 s, or within five minutes if its
 * sender is known and at most 64 KiB of it are held. Returns how to stop watching.
 */
export function cutLateBody(request: IncomingMessage, sender: Sender, heldBytes: () => number): () => void {
  const begunAtMs = performance.now();
  const timer = setInterval(() => {
    const mayGoOn = sender === 'known' && heldBytes() <= SMALL_BYTES && performance.now() - begunAtMs < SMALL_WITHIN_MS;
    if (!mayGoOn) request.destroy();
  }, WHOLE_WITHIN_MS);
  return () => clearInterval(timer);
}
