import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { LiveTopic } from '@flotilla/contract/live.ts';
import { shownPlace, WHOLE_BOT } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import { type KeptDecision, keptDecisionFor } from '@flotilla/domain/delivery/router/show-decision.ts';
import { withoutUnseenBots } from '@flotilla/domain/delivery/routing-rules/shown-bots.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { inConversation } from '@flotilla/domain/records/chats/conversation.ts';
import type { HeldBot, Viewer } from '@flotilla/domain/watch/live/bot-watches.ts';
import type { LiveEvents } from '@flotilla/domain/watch/live/live-event.ts';
import { decodePosition, type LivePosition } from '@flotilla/domain/watch/live/live-position.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Response } from 'express';
import type { Context } from '../context.ts';
import type { ReservedStream } from '../live/live.ts';
import { LiveStream } from '../live/live-stream.ts';
import { requireBot } from '../operations/bot-of-call.ts';

/** A client that asked for live events. */
export type LiveClient = {
  caller: Caller;
  topics: WatchedTopics;
  /** The id of the last event that it got, on this or another replica; null if it begins. */
  lastEventId: string | null;
  response: Response;
  /** Only the head of the answer is wanted. */
  headOnly: boolean;
};

type WatchedTopics = { fleet: boolean; desk: boolean; bots: ReadonlyMap<Bot, WatchedBot> };
type WatchedBot = { all: boolean; attempts: boolean; chats: Set<number> };

/** EventSource waits 3 to 5 s otherwise. */
const RETRY_MS = 1000;
const RETRY_AFTER_END_MS = 500;
const REDIS_ANSWERS_IN_MS = 5000;
const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

/** The bots of the topics, each once; throws 'not_found'. */
export function watchedTopics(context: Context, topics: readonly LiveTopic[]): WatchedTopics {
  const bots = new Map<Bot, WatchedBot>();
  for (const topic of topics) {
    if (topic.kind === 'fleet' || topic.kind === 'desk') continue;
    const bot = requireBot(context, topic.botId);
    const watched = bots.get(bot) ?? { all: false, attempts: false, chats: new Set() };
    bots.set(bot, watched);
    if (topic.kind === 'bot') watched.all = true;
    else if (topic.kind === 'attempts') watched.attempts = true;
    else watched.chats.add(topic.chatId);
  }
  const names = (wanted: LiveTopic['kind']) => topics.some(({ kind }) => kind === wanted);
  return { fleet: names('fleet'), desk: names('desk'), bots };
}

/** Streams events until the signal aborts. Throws before the answer if too many streams are open or Redis is away. */
export async function watchLive(context: Context, client: LiveClient, signal: AbortSignal): Promise<void> {
  const { live, directory } = context;
  const reserved = live.reserve(client.caller, client.response);
  const ended = new AbortController();
  const end = () => ended.abort();
  signal.addEventListener('abort', end);
  const stops: { stop(): void }[] = [];
  const stopListening = directory.onChange((id) => {
    const named = [...client.topics.bots.keys()].some((bot) => bot.id === id);
    if (named && directory.ready() && directory.byId(id) === undefined) end();
  });
  // The client may have gone already; then no further event reports it.
  if (signal.aborted) end();
  try {
    await stream(context, client, { reserved, stops, signal: ended.signal });
  } finally {
    for (const one of stops) one.stop();
    stopListening();
    signal.removeEventListener('abort', end);
    reserved.release();
  }
}

type Running = { reserved: ReservedStream; stops: { stop(): void }[]; signal: AbortSignal };

async function stream(context: Context, client: LiveClient, { reserved, stops, signal }: Running): Promise<void> {
  const { response, lastEventId } = client;
  const known = lastEventId === null ? null : decodePosition(lastEventId);
  const watched = await hold(context, client, known, stops);
  if (tellsChats(client)) await holdAnnounced(context.live.chatReads, stops, signal);
  if (tellsDesk(client)) await holdAnnounced(context.live.deskNews, stops, signal);
  signal.throwIfAborted();
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  if (client.headOnly) return void response.end();

  const position = positionOf(watched, known);
  const live = new LiveStream(response, { position, nowMs: context.clock.nowMs });
  const sinceMs = tellsBots(client) ? (known?.changesToMs ?? 0) : 0;
  const forgotten = sinceMs > 0 && !context.live.botEvents.remembers(sinceMs);
  const gap = forgotten || watched.some(({ lost }) => lost) || (lastEventId !== null && known === null);
  if (tellsBots(client)) stops.push(listenToBots(context, client, live, forgotten ? 0 : sinceMs));
  live.begin(RETRY_MS, { gap });
  if (tellsChats(client)) stops.push(listenToReads(context, client, live));
  if (tellsDesk(client)) stops.push(listenToDesk(context, client, live));
  stops.push(listenToFloods(context, client, live));
  reserved.attach(live);
  if (client.topics.fleet) stops.push(listenToFleet(context, client, live));
  try {
    await Promise.all(watched.map((one) => join(context, client.caller, one, live, signal)));
    await aborted(signal);
  } catch (error) {
    // The client reconnects, and goes on from its last event.
    if (!signal.aborted) context.log.debug({ reason: String(error) }, 'a live stream ends: it cannot be read');
  } finally {
    live.end(RETRY_AFTER_END_MS);
  }
}

type Watched = { bot: Bot; shown: WatchedBot; held: HeldBot; after: string; lost: boolean };

/**
 * Starts watching the bots, and finds the entries after which the client continues. When it rejects, `stops` has everything that was
 * begun.
 */
async function hold(
  { live }: Context,
  { topics }: LiveClient,
  known: LivePosition | null,
  stops: Running['stops'],
): Promise<Watched[]> {
  const holding = [...topics.bots].map(async ([bot, shown]) => {
    const held = await live.watches.hold(bot);
    stops.push({ stop: held.release });
    const after = known?.bots.get(bot.id) ?? held.position;
    const lost = !(await held.keeps(after));
    return { bot, shown, held, after: lost ? held.position : after, lost };
  });
  await Promise.allSettled(holding);
  return Promise.all(holding);
}

function positionOf(watched: Watched[], known: LivePosition | null): LivePosition {
  return {
    bots: new Map(watched.map(({ bot, after }) => [bot.id, after])),
    changesToMs: known?.changesToMs ?? 0,
  };
}

function join(
  { directory }: Context,
  caller: Caller,
  { bot, shown, held, after }: Watched,
  live: LiveStream,
  signal: AbortSignal,
): Promise<void> {
  const seen = (events: LiveEvents) => events.map((event) => shownFor(caller, directory.byId(bot.id) ?? bot, event));
  const viewer: Viewer = {
    onEvents: (botId, events, position) => live.newEvents(botId, shown, seen(events), position),
    onGap: (botId, position) => live.gap(botId, position),
  };
  const onKept = (events: LiveEvents) => live.keptEvents(bot.id, shown, seen(events), signal);
  return held.join(viewer, { after, onKept, signal });
}

/** The decisions of the router and the attempts of rules, without bots that the caller does not see. */
function shownFor(caller: Caller, bot: Bot, event: LiveEvents[number]): LiveEvents[number] {
  if (event.name !== 'route' && event.name !== 'attempt') return event;
  const data =
    event.name === 'route'
      ? JSON.stringify(keptDecisionFor(caller, bot, JSON.parse(event.data) as KeptDecision))
      : withoutUnseenBots(caller, event.data);
  return { ...event, data, bytes: Buffer.byteLength(data) };
}

function tellsBots({ topics }: LiveClient): boolean {
  return topics.fleet || [...topics.bots.values()].some(({ all }) => all);
}

function listenToBots({ live }: Context, client: LiveClient, to: LiveStream, sinceMs: number) {
  const { caller, topics } = client;
  const bots = new Set([...topics.bots].flatMap(([bot, { all }]) => (all ? [bot.id] : [])));
  const listener = {
    caller,
    fleet: topics.fleet,
    bots,
    onBot: (data: string, bytes: number) => to.event('bot', data, bytes),
    onGap: () => to.gap(null, null),
  };
  return live.botEvents.listen(listener, sinceMs, () => to.followsChanges());
}

function listenToFleet({ live }: Context, { caller }: LiveClient, to: LiveStream) {
  return live.fleetEvents.listen({ caller, onFleet: (data, bytes) => to.event('fleet', data, bytes) });
}

function tellsChats({ topics }: LiveClient): boolean {
  return [...topics.bots.values()].some(({ all, chats }) => all || chats.size > 0);
}

function tellsDesk(client: LiveClient): boolean {
  return client.topics.desk || tellsChats(client);
}

/** Resolves when everything that is announced from now on will be received. */
async function holdAnnounced(
  announced: { hold(signal: AbortSignal): { ready: Promise<void>; release(): void } },
  stops: Running['stops'],
  signal: AbortSignal,
): Promise<void> {
  const held = announced.hold(AbortSignal.any([signal, AbortSignal.timeout(REDIS_ANSWERS_IN_MS)]));
  stops.push({ stop: held.release });
  await held.ready.catch(() => {
    throw new FlotillaError('unavailable', 'The stream cannot begin at the moment', { retryAfterS: 1 });
  });
}

/** True for chats of the topics. */
function isWatched({ topics }: LiveClient): (chat: ChatOfBot) => boolean {
  const shown = new Map([...topics.bots].map(([bot, watched]) => [bot.id, watched]));
  return ({ bot_id, chat_id }) => shown.get(bot_id)?.all === true || shown.get(bot_id)?.chats.has(chat_id) === true;
}

function listenToReads({ live }: Context, client: LiveClient, to: LiveStream) {
  const isShown = isWatched(client);
  return live.chatReads.listen({
    onNews: (read) => {
      if (read.accountId !== client.caller.account.id || !isShown(read)) return;
      send(to, 'read', { ...inConversation(read), read_message_id: read.message_id });
    },
    onGap: () => to.gap(null, null),
  });
}

/** Whoever may see the chat hears of it. */
function listenToDesk({ live }: Context, client: LiveClient, to: LiveStream) {
  const isShown = isWatched(client);
  return live.deskNews.listen({
    onNews: ({ kind, ...news }) => {
      const isOfDesk = client.topics.desk && seesBot(client.caller, news.bot_id);
      if (isOfDesk || isShown(news)) send(to, kind, news);
    },
    onGap: () => to.gap(null, null),
  });
}

function send(to: LiveStream, name: string, event: object): void {
  const data = JSON.stringify(event);
  to.event(name, data, Buffer.byteLength(data));
}

function listenToFloods({ floods }: Context, { topics }: LiveClient, to: LiveStream) {
  const shown = new Map([...topics.bots].map(([bot, watched]) => [bot.id, watched]));
  const stop = floods.onChange(({ botId, family, place, untilMs }) => {
    const watched = shown.get(botId);
    if (watched === undefined) return;
    const where = shownPlace(place);
    const isOfChat = place === WHOLE_BOT ? watched.chats.size > 0 : watched.chats.has(where.chat_id ?? 0);
    if (!watched.all && !isOfChat) return;
    const until = untilMs === null ? null : new Date(untilMs).toISOString();
    send(to, 'flood', { bot_id: botId, ...where, family, until });
  });
  return { stop };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
