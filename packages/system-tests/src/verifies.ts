import type { RecordedRequest } from '@flotilla/testing/backend.ts';
import { Webhook } from 'standardwebhooks';

/** True if a library for receivers accepts the bytes that came. */
export function verifies(secret: string, { body, headers }: RecordedRequest): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
