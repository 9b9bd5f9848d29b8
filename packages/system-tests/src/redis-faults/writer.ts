import { startBackend } from '@flotilla/testing/backend.ts';
import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type Ledger, ledger } from '../ledger.ts';

const CHAT = 77;
const PAUSE_MS = 20;

/** Pushes updates as the platform does: one after the other, each repeated until it is acknowledged. */
export type Writer = {
  bot: FleetBot;
  book: Ledger;
  acknowledged(): number;
  refused(): number;
  /** The longest time until a response. */
  longestAnswerMs(): number;
  pause(): Promise<void>;
  allArrived(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** Registers a bot in webhook mode and pushes updates to it through any api. */
export async function startWriter(fleet: Fleet): Promise<Writer> {
  const book = ledger();
  const backend = await startBackend((request, response) => {
    book.record(request.text);
    response.end();
  });
  const bot = await fleet.addBot({ webhook_mode: true, proxy_enabled: true, backend_url: backend.url });
  const secret = (await fleet.control.readWebhook({ bot: bot.platformId })).secretToken;
  let acknowledged = 0;
  let refused = 0;
  let longestMs = 0;
  let writing = true;
  let failure: unknown = null;
  const push = async () => {
    const beganAtMs = performance.now();
    const response = await fetch(`${fleet.url}/telegram/${bot.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret ?? '' },
      body: JSON.stringify({
        update_id: 1000 + acknowledged,
        message: {
          message_id: acknowledged + 1,
          date: Math.floor(Date.now() / 1000),
          chat: { id: CHAT, type: 'private' },
          text: `w${acknowledged} @${Date.now()}`,
        },
      }),
    });
    longestMs = Math.max(longestMs, performance.now() - beganAtMs);
    if (response.status === 200) acknowledged += 1;
    else if (response.status === 503) refused += 1;
    else throw new Error(`A push was answered with ${response.status}: ${await response.text()}`);
  };
  const running = (async () => {
    while (writing) {
      await push();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  running.catch((error: unknown) => {
    failure = error;
  });
  const pause = async () => {
    writing = false;
    await running;
  };
  return {
    bot,
    book,
    acknowledged: () => {
      if (failure !== null) throw failure;
      return acknowledged;
    },
    refused: () => refused,
    longestAnswerMs: () => longestMs,
    pause,
    allArrived: async (timeoutMs) => {
      await waitFor(() => book.count() >= acknowledged, { timeoutMs, message: 'every acknowledged push to arrive' });
    },
    stop: async () => {
      await pause().catch(() => {});
      await backend.stop();
    },
  };
}
