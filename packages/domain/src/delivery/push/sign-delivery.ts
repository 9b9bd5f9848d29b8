import { createHmac } from 'node:crypto';
import { type Signing, secretsAt } from '../../fleet/bots/signing.ts';

/** Headers of Standard Webhooks 1.0, https://www.standardwebhooks.com. */
export const SIGNATURE_HEADER = 'webhook-signature';
const SECRET_PREFIX = 'whsec_';

/** Why nothing is sent while the secret cannot be opened; without a signature the backend would refuse it. */
export const NOT_SIGNED = 'The signing secret cannot be opened: rotate it, or remove it';

/**
 * The headers that sign a delivery: its id, when it was sent, and a signature of both and the body by each secret that
 * is valid. None if deliveries are not signed; null if the secret cannot be opened.
 */
export function signDelivery(
  signing: Signing | null,
  { id, atMs, body }: { id: string; atMs: number; body: string },
): Record<string, string> | null {
  if (signing === null) return {};
  if (signing.secret === '') return null;
  const timestamp = String(Math.floor(atMs / 1000));
  const signatures = secretsAt(signing, atMs).map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, [SIGNATURE_HEADER]: signatures.join(' ') };
}
