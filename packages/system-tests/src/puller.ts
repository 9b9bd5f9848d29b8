type Answer = { ok: boolean; result: { update_id: number }[] };

/** A bot's program that only polls; stop returns every response that was not a success. */
export type Puller = { stop(): Promise<string[]> };

const PAUSE_MS = 100;

/** Polls with getUpdates and a timeout of 30 s at the current url, from its own offset. */
export function startPuller(url: () => string, token: string, onUpdate: (update: string) => void): Puller {
  const stopped = new AbortController();
  const failed: string[] = [];
  let offset = 0;
  const ask = async (): Promise<Answer | null> => {
    try {
      const query = `timeout=30&offset=${offset}`;
      const response = await fetch(`${url()}/tgapi/bot${token}/getUpdates?${query}`, { signal: stopped.signal });
      if (response.ok) return (await response.json()) as Answer;
      failed.push(`${response.status} ${await response.text()}`);
    } catch (error) {
      if (!stopped.signal.aborted) failed.push(String(error));
    }
    return null;
  };
  const polling = (async () => {
    while (!stopped.signal.aborted) {
      const answer = await ask();
      if (answer === null) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      for (const update of answer?.result ?? []) {
        onUpdate(JSON.stringify(update));
        offset = update.update_id + 1;
      }
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await polling;
      return failed;
    },
  };
}
