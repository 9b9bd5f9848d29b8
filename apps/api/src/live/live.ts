import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { type DeskNews, deskNews } from '@flotilla/domain/records/desk/desk-news.ts';
import type { ReadDeps } from '@flotilla/domain/watch/fleet-figures/read-fleet.ts';
import type { BotChanges } from '@flotilla/domain/watch/live/bot-changes.ts';
import { type BotWatches, botWatches } from '@flotilla/domain/watch/live/bot-watches.ts';
import { type ChatRead, chatReads } from '@flotilla/domain/watch/live/chat-reads.ts';
import type { Announcements } from '@flotilla/redis/announcements.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import type { Response } from 'express';
import { showRateLimits } from '../http/rate-limit-headers.ts';
import { type BotEvents, botEvents } from './bot-events.ts';
import { type FleetEvents, fleetEvents } from './fleet-events.ts';
import type { LiveStream } from './live-stream.ts';

export type LiveLimits = { streams: number; streamsPerAccount: number };

/** Shared by the live streams of a process. */
export type Live = {
  watches: BotWatches;
  botEvents: BotEvents;
  fleetEvents: FleetEvents;
  chatReads: Announcements<ChatRead>;
  deskNews: Announcements<DeskNews>;
  /** Reserves room for a stream; throws 'too_many_requests' if there is none for the caller. */
  reserve(caller: Caller, response: Response): ReservedStream;
  close(): void;
};

export type ReservedStream = {
  /** Lets the stream tick. */
  attach(stream: LiveStream): void;
  release(): void;
};

type Deps = ReadDeps & { log: Logger; metrics: Metrics; changes: BotChanges };

const TICK_MS = 1000;
const RETRY_AFTER_S = 10;

export function openLive(deps: Deps, limits: LiveLimits): Live {
  const watches = botWatches(deps);
  const events = botEvents(deps);
  const figures = fleetEvents(deps);
  const reads = chatReads(deps);
  const desk = deskNews(deps);
  const streams = new Set<LiveStream>();
  const reservedBy = new Map<number, number>();
  let reserved = 0;
  deps.metrics.readGauge({ name: 'flotilla_live_streams', help: 'Live streams that are open in this process.' }, () => [
    { value: reserved },
  ]);
  const ticking = setInterval(() => {
    for (const stream of streams) stream.tick();
  }, TICK_MS);
  return {
    watches,
    botEvents: events,
    fleetEvents: figures,
    chatReads: reads,
    deskNews: desk,
    reserve: ({ account }, response) => {
      const ofAccount = reservedBy.get(account.id) ?? 0;
      const quota = limits.streamsPerAccount;
      showRateLimits(response, [{ name: 'live-streams', quota, remaining: quota - ofAccount - 1, window: null }]);
      if (ofAccount >= limits.streamsPerAccount)
        throw tooMany(`Your account has ${ofAccount} live streams here already; close one of them`);
      if (reserved >= limits.streams)
        throw tooMany('This process has no room for another live stream; try again later');
      reserved += 1;
      reservedBy.set(account.id, ofAccount + 1);
      let attached: LiveStream | null = null;
      return {
        attach: (stream) => {
          attached = stream;
          streams.add(stream);
        },
        release: () => {
          if (attached !== null) streams.delete(attached);
          reserved -= 1;
          const left = (reservedBy.get(account.id) ?? 1) - 1;
          if (left === 0) reservedBy.delete(account.id);
          else reservedBy.set(account.id, left);
        },
      };
    },
    close: () => {
      clearInterval(ticking);
      watches.close();
      events.close();
      figures.close();
      reads.close();
      desk.close();
    },
  };
}

function tooMany(message: string): FlotillaError {
  return new FlotillaError('too_many_requests', message, { retryAfterS: RETRY_AFTER_S });
}
