import type { IncomingMessage } from 'node:http';

type Judged = IncomingMessage & { senderIsKnown?: true };

/** The longest that we hold a body of a known sender: 64 KiB at the least rate of cutSlowClients take four minutes. */
export const KNOWN_BODY_WITHIN_MS = 300_000;

/** A token, key or secret of this request was checked: its small body, too, is judged by its progress. */
export function noteKnownSender(request: IncomingMessage): void {
  (request as Judged).senderIsKnown = true;
}

export function hasKnownSender(request: IncomingMessage): boolean {
  return (request as Judged).senderIsKnown === true;
}
