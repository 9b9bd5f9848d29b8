import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlClient } from '../control-client.ts';

/** A bot as a client knows it; `id` is the simulator's. */
export type TestBot = { id: number; token: string };

/** The server under test: the simulator itself, or a service in front of it. */
export type ConformanceTarget = {
  /** The API root: `/bot<token>/<method>` is appended. */
  baseUrl: string;
  /** A new bot whose first update gets the id `nextUpdateId`. */
  botFactory(options: { nextUpdateId: number }): Promise<TestBot>;
  control: ControlClient;
};

export type ApiAnswer = {
  status: number;
  headers: Headers;
  text: string;
  body: { ok: boolean; error_code?: number; description?: string; parameters?: { retry_after?: number } } & {
    result?: unknown;
  };
  tookMs: number;
};

/** Registers a test of one platform behaviour, unless `otherwise` lists its title. */
export type Check = (title: string, body: () => Promise<void>, timeoutMs?: number) => void;

export type ShownUpdate = { update_id: number } & Record<string, unknown>;

const LONG_ENOUGH_MS = 20_000;

/** Calls a method with JSON parameters. */
export async function callApi(
  target: ConformanceTarget,
  bot: TestBot,
  method: string,
  params: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<ApiAnswer> {
  return request(`${target.baseUrl}/bot${bot.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
    ...(signal !== undefined && { signal }),
  });
}

export async function request(url: string, init: RequestInit = {}): Promise<ApiAnswer> {
  const startedMs = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as ApiAnswer['body']) : { ok: false };
  return { status: response.status, headers: response.headers, text, body, tookMs: performance.now() - startedMs };
}

export async function poll(
  target: ConformanceTarget,
  bot: TestBot,
  params: Record<string, unknown> = {},
): Promise<ShownUpdate[]> {
  const answer = await callApi(target, bot, 'getUpdates', params);
  if (!answer.body.ok) throw new Error(`getUpdates was refused: ${answer.text}`);
  return answer.body.result as ShownUpdate[];
}

export function idsOf(updates: ShownUpdate[]): number[] {
  return updates.map(({ update_id }) => update_id);
}

export function kindsOf(updates: ShownUpdate[]): string[] {
  return updates.map((update) => Object.keys(update)[1]!);
}

export async function pendingCount(target: ConformanceTarget, bot: TestBot): Promise<number> {
  const { body } = await callApi(target, bot, 'getWebhookInfo');
  return (body.result as { pending_update_count: number }).pending_update_count;
}

/** Waits until `count` updates are pending; a service in front of the simulator needs a moment to receive them. */
export async function untilPending(target: ConformanceTarget, bot: TestBot, count: number): Promise<void> {
  const deadlineMs = performance.now() + LONG_ENOUGH_MS;
  for (let seen = -1; performance.now() < deadlineMs; await sleep(20)) {
    seen = await pendingCount(target, bot);
    if (seen === count) return;
  }
  throw new Error(`the bot never had ${count} pending updates`);
}

/** A bot with `count` messages waiting, the first with the id `firstId`. */
export async function botWithQueue(target: ConformanceTarget, firstId = 101, count = 5): Promise<TestBot> {
  const bot = await target.botFactory({ nextUpdateId: firstId });
  await inject(
    target,
    bot,
    Array.from({ length: count }, (_, index) => message(`number ${index}`)),
  );
  await untilPending(target, bot, count);
  return bot;
}

type Injected = { kind: string; raw: string; ageS?: number };

export async function inject(target: ConformanceTarget, bot: TestBot, updates: Injected[]): Promise<void> {
  await target.control.injectUpdates({ bot: bot.id, updates });
}

const PERSON = '{"id":77000001,"is_bot":false,"first_name":"Ann"}';

export function message(text: string, options: { kind?: string; dateS?: number } = {}): Injected {
  const dateS = options.dateS ?? Math.floor(Date.now() / 1000);
  const chat = '{"id":77000001,"first_name":"Ann","type":"private"}';
  const raw = `{"message_id":5,"from":${PERSON},"chat":${chat},"date":${dateS},"text":${JSON.stringify(text)}}`;
  return { kind: options.kind ?? 'message', raw };
}

export function callback(ageS = 0): Injected {
  const raw = `{"id":"90071992547409931","from":${PERSON},"chat_instance":"1","data":"x"}`;
  return { kind: 'callback_query', raw, ageS };
}

export function inlineQuery(ageS = 0): Injected {
  return { kind: 'inline_query', raw: `{"id":"90071992547409932","from":${PERSON},"query":"q","offset":""}`, ageS };
}

export function chatMember(): Injected {
  const member = `{"user":${PERSON},"status":"member"}`;
  const date = Math.floor(Date.now() / 1000);
  const chat = '{"id":-100123,"title":"T","type":"supergroup"}';
  const raw = `{"chat":${chat},"from":${PERSON},"date":${date},"old_chat_member":${member},"new_chat_member":${member}}`;
  return { kind: 'chat_member', raw };
}

/** Pauses, so that a poll that was just sent can arrive and start to wait. */
export async function untilWaiting(): Promise<void> {
  await sleep(300);
}
