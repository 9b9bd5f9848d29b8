import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_KEY } from '@flotilla/testing/fleet/fleet.ts';

const PAUSE_MS = 200;

/** Polls by REST until it is stopped; `query` names the reader. `url` is null while nobody can be asked. */
export function startPoller(
  url: () => string | null,
  query: string,
  onUpdate: (update: string) => void,
): () => Promise<void> {
  let stopped = false;
  let offset = 0;
  const ask = async (): Promise<{ update_id: number }[] | null> => {
    const at = url();
    if (at === null) return null;
    const response = await fetch(`${at}/api/updates/poll?${query}&timeout=2&offset=${offset}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    return response.ok ? ((await response.json()) as { result: { update_id: number }[] }).result : null;
  };
  const polling = (async () => {
    while (!stopped) {
      // A process that stops ends the connection.
      const updates = await ask().catch(() => null);
      if (updates === null) await delay(PAUSE_MS);
      for (const update of updates ?? []) {
        onUpdate(JSON.stringify(update));
        offset = update.update_id + 1;
      }
    }
  })();
  return async () => {
    stopped = true;
    await polling;
  };
}
