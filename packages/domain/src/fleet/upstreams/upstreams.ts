import { DEFAULT_UPSTREAM, type PlatformEnvironment } from '@flotilla/contract/upstreams.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { ProxyTarget } from '@flotilla/runtime/proxy-url.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import type { UpstreamServer, UpstreamServers } from '@flotilla/runtime/upstreams-setting.ts';
import type { AtServer, PlatformServer } from '@flotilla/telegram/platform-server.ts';
import type { Bot } from '../bots/bot.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { formerServers } from './former-servers.ts';
import { HOME, isNamed, UNKNOWN_SERVER } from './server-of-name.ts';

/** Where calls go. */
export type Target = PlatformServer & {
  name: string;
  /** null: that of TELEGRAM_API_URL. */
  server: UpstreamServer | null;
  /** False: the settings of this process do not have the server that the bot names, and its calls must not go to another one. */
  isKnown: boolean;
};

/** A client for each server and environment, so that those of one server wait for no other one. */
export type ServerClients<Client> = {
  /** That of a bot; without one, that of strangers. */
  of(bot: AtServer | null): Client;
  ofToken(token: string): Client;
  close(): Promise<void>;
};

export type Upstreams = {
  /** `open` is called when the first call goes to a server. */
  clients<Client>(open: (target: Target) => Client, close?: (client: Client) => unknown): ServerClients<Client>;
  close(): void;
};

type Config = { platformUrl: string; platformProxy: ProxyTarget | null; servers: UpstreamServers };

const NOWHERE = 'http://upstream.invalid';

/** The one place that decides to which server the calls of a bot go. */
export function openUpstreams({ directory, log }: { directory: BotDirectory; log: Logger }, config: Config): Upstreams {
  const former = formerServers(directory);
  const endWarnings = warnOfUnknown({ directory, log }, config.servers);
  return {
    clients: (open, close = () => undefined) => {
      type Opened = Map<string, ReturnType<typeof open>>;
      const opened: Record<PlatformEnvironment, Opened> = { production: new Map(), test: new Map() };
      const of = (bot: AtServer | null) => {
        const at = bot ?? HOME;
        const known = opened[at.environment].get(at.upstream);
        if (known !== undefined) return known;
        const client = open({ ...targetOf(config, at), noteFailure: failureLog(log, at.upstream) });
        opened[at.environment].set(at.upstream, client);
        return client;
      };
      return {
        of,
        ofToken: (token) => of((directory.ready() && directory.byToken(token)) || former.of(token)),
        close: async () => {
          await Promise.all(Object.values(opened).flatMap((ofEnvironment) => [...ofEnvironment.values()].map(close)));
        },
      };
    },
    close: () => {
      former.close();
      endWarnings();
    },
  };
}

function failureLog(log: Logger, upstream: string): (reason: string) => void {
  return throttledLog((reason: string, leftOut) =>
    log.warn({ upstream, leftOut }, `the platform could not be reached: ${reason}`),
  );
}

/** Tells the operator, once for each name, that bots wait for a server to be named again. Returns a function that ends it. */
function warnOfUnknown({ directory, log }: { directory: BotDirectory; log: Logger }, servers: UpstreamServers) {
  const warned = new Set<string>();
  const look = (bot: Bot | undefined) => {
    if (bot === undefined || isNamed(servers, bot.upstream) || warned.has(bot.upstream)) return;
    warned.add(bot.upstream);
    log.warn({ upstream: bot.upstream, bot: bot.id }, `${UNKNOWN_SERVER}: what bots at it send goes nowhere`);
  };
  if (directory.ready()) directory.all().forEach(look);
  return directory.onChange((botId) => directory.ready() && look(directory.byId(botId)));
}

/** The address of a server, and the way there. */
export function targetOf(
  { platformUrl, platformProxy, servers }: Config,
  { upstream: name, environment }: AtServer,
): Target {
  const isTest = environment === 'test';
  if (name === DEFAULT_UPSTREAM) {
    return { name, isTest, isKnown: true, server: null, apiUrl: platformUrl, proxy: platformProxy };
  }
  const server = servers.get(name) ?? null;
  if (server === null) return { name, isTest, isKnown: false, server, apiUrl: NOWHERE };
  return { name, isTest, isKnown: true, server, apiUrl: server.url, proxy: server.proxy };
}
