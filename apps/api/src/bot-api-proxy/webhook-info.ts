import type { BackendState } from '@flotilla/contract/bots.ts';
import type { BotApiAnswer } from './answer.ts';

/** A webhook as its caller may see it. `backend` is null if there is none. */
type Webhook = {
  pending: number;
  allowedUpdates: readonly string[] | null;
  backend: {
    url: string;
    hasCertificate: boolean;
    /** '' if the name of the URL is looked up. */
    ipAddress: string;
    maxConnections: number;
    error: { atMs: number; message: string } | null;
    state: BackendState;
  } | null;
};

/** The answer to `getWebhookInfo`, with the fields of the platform; the state of a backend is shown while it is not `ok`. */
export function webhookInfo({ pending, allowedUpdates, backend }: Webhook): BotApiAnswer {
  const info: Record<string, unknown> = {
    url: backend?.url ?? '',
    has_custom_certificate: backend?.hasCertificate ?? false,
    pending_update_count: Math.max(0, pending),
  };
  if (backend !== null) {
    if (backend.error !== null) {
      info.last_error_date = Math.floor(backend.error.atMs / 1000);
      info.last_error_message = backend.error.message;
    }
    if (backend.state !== 'ok') info.backend_state = backend.state;
    info.max_connections = backend.maxConnections;
    if (backend.ipAddress !== '') info.ip_address = backend.ipAddress;
  }
  if (allowedUpdates !== null) info.allowed_updates = allowedUpdates;
  return { ok: true, result: JSON.stringify(info) };
}
