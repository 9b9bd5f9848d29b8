import { randomInt } from 'node:crypto';
import { type ApiServer, newServer } from './bots/api-server.ts';
import type { SimBot } from './bots/sim-bot.ts';
import type { Chat, Message } from './chats/chat.ts';
import type { User } from './chats/user.ts';
import type { Fault } from './faults/fault.ts';
import type { FloodLimits } from './faults/flood-limits.ts';
import type { SimFile } from './files/sim-file.ts';
import type { InlineMessage, OpenQuery, SentPoll } from './messages/queries-and-polls.ts';
import type { SimClock } from './sim-clock.ts';
import { NO_STORAGE, type Storage } from './storage/storage.ts';

/** The settings of a simulated platform. */
export type SimulatorSettings = {
  /**
   * false: setWebhook applies the cloud's rules (https, four ports, no reserved addresses); true: those of `--local`.
   */
  localMode: boolean;
  /**
   * The working directory of a server in `--local` mode: files lie in it below the token of their bot, getFile answers their
   * absolute path whatever their size, and `file:` in a call names one of the disk. null: as the cloud.
   */
  workingDir: string | null;
  /** Its name in records of calls, where several servers run beside each other. */
  serverName: string;
  /** How long after a logOut calls are refused. */
  loggedOutMs: number;
  /** The first update_id of a bot that comes from another server; null: random, as on the platform. */
  firstUpdateId: number | null;
  /** The largest request body, in bytes. */
  maxBodyBytes: number;
  /** The largest file that getFile offers, in bytes. */
  maxDownloadBytes: number;
  /** Names under which the control API may be called, beside addresses and localhost; in lower case, without a port. */
  controlHosts: string[];
  /** How fast bots may send; null: as fast as they like. */
  floodLimits: FloodLimits | null;
};

/** A bot that has left the cloud may not come back for ten minutes. */
export const CLOUD_LOGGED_OUT_MS = 600_000;

export const DEFAULT_SETTINGS: SimulatorSettings = {
  localMode: true,
  workingDir: null,
  serverName: 'default',
  loggedOutMs: 1_000,
  firstUpdateId: null,
  maxBodyBytes: 2000 * 1024 * 1024,
  maxDownloadBytes: 20 * 1024 * 1024,
  controlHosts: [],
  floodLimits: null,
};

/** Resolves a host name to all its addresses; rejects when it has none. */
export type ResolveHost = (host: string) => Promise<{ address: string; family: number }[]>;

/** A stream of generated updates: how many were made, and how many a full queue dropped. */
export type LoadState = { made: number; dropped: number; done: boolean };

/** The whole state of the simulated platform; code that changes it must tell `storage`. */
export type Simulator = {
  storage: Storage;
  settings: SimulatorSettings;
  server: ApiServer;
  clock: SimClock;
  resolveHost: ResolveHost;
  bots: Map<number, SimBot>;
  people: Map<number, User>;
  chats: Map<string, Chat>;
  files: Map<string, SimFile>;
  filesByPath: Map<string, SimFile>;
  queries: Map<string, OpenQuery>;
  inlineMessages: Map<string, InlineMessage>;
  /** The bot that posted a channel post, because the post itself does not name it. */
  postedBy: WeakMap<Message, number>;
  polls: Map<string, SentPoll>;
  faults: Fault[];
  /** The limits of bots that have none of their own; null: they send as fast as they like. */
  floodLimits: FloodLimits | null;
  floodLimitsByBot: Map<number, FloodLimits>;
  loads: LoadState[];
  nextFileNumber: number;
  nextPersonId: number;
  nextChatNumber: number;
  nextQueryNumber: bigint;
};

export function newSimulator(settings: SimulatorSettings, clock: SimClock, resolveHost: ResolveHost): Simulator {
  return {
    storage: NO_STORAGE,
    settings,
    server: newServer(settings.serverName),
    clock,
    resolveHost,
    bots: new Map(),
    people: new Map(),
    chats: new Map(),
    files: new Map(),
    filesByPath: new Map(),
    queries: new Map(),
    inlineMessages: new Map(),
    postedBy: new WeakMap(),
    polls: new Map(),
    faults: [],
    floodLimits: settings.floodLimits,
    floodLimitsByBot: new Map(),
    loads: [],
    nextFileNumber: 0,
    nextPersonId: randomInt(100_000_000, 900_000_000),
    nextChatNumber: randomInt(1_000_000_000, 2_000_000_000),
    nextQueryNumber: BigInt(randomInt(1_000_000_000)) * 4_294_967_296n,
  };
}

/** Another server beside this one: the same bots, people and chats, with settings and update ids of its own. */
export function serverBeside(shared: Simulator, settings: SimulatorSettings): Simulator {
  const own = { settings, server: newServer(settings.serverName) };
  return new Proxy(shared, {
    get: (target, key) => Reflect.get(key in own ? own : target, key),
    set: (target, key, value) => Reflect.set(key in own ? own : target, key, value),
  });
}

/** Ids of callback and inline queries are decimal strings beyond 2^53, as on the platform. */
export function newQueryId(sim: Simulator): string {
  sim.nextQueryNumber += 1n;
  sim.storage.saveCounters();
  return String(sim.nextQueryNumber);
}

/** The bots in a chat; all of them see what people write there. */
export function botsIn(sim: Simulator, chat: Chat): SimBot[] {
  if (chat.person !== null) {
    const bot = sim.bots.get(chat.botId);
    return bot === undefined ? [] : [bot];
  }
  const bots: SimBot[] = [];
  for (const member of chat.members.values()) {
    const bot = member.user.is_bot ? sim.bots.get(member.user.id) : undefined;
    if (bot !== undefined && member.status !== 'left' && member.status !== 'kicked') bots.push(bot);
  }
  return bots;
}
