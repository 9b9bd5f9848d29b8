import type { BackendState } from '@flotilla/contract/backend-states.ts';
import { foreignWebhookText } from '@flotilla/domain/fleet/bots/foreign-webhook.ts';
import type { BotApiAnswer } from './answer.ts';

/** A webhook as its caller may see it. `backend` is null if there is none. */
type Webhook = {
  pending: number;
  allowed_updates: readonly string[] | null;
  /** The webhook of another service at the platform, which gets the updates instead. */
  foreign?: { host: string; sinceMs: number } | null;
  backend: {
    url: string;
    hasCertificate: boolean;
    /** '' if the name of the URL is looked up. */
    ip_address: string;
    max_connections: number;
    error: { atMs: number; message: string } | null;
    state: BackendState;
  } | null;
};

/** The answer to `getWebhookInfo`, with the fields of the platform; the state of a backend is shown while it is not `ok`. */
export function webhookInfo({ pending, allowed_updates, foreign = null, backend }: Webhook): BotApiAnswer {
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
    info.max_connections = backend.max_connections;
    if (backend.ip_address !== '') info.ip_address = backend.ip_address;
  }
  if (foreign !== null) {
    info.last_error_date = Math.floor(foreign.sinceMs / 1000);
    info.last_error_message = foreignWebhookText(foreign.host);
  }
  if (allowed_updates !== null) info.allowed_updates = allowed_updates;
  return { ok: true, result: JSON.stringify(info) };
}
