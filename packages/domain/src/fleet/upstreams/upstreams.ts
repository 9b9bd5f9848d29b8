import { DEFAULT_UPSTREAM } from '@flotilla/contract/upstreams.ts';
import { type ProxyTarget, parseProxyUrl } from '@flotilla/runtime/proxy-url.ts';
import type { AtServer, PlatformServer, ServerGuard, UpstreamServer } from '@flotilla/telegram/platform-server.ts';
import { forbiddenReasons, guardedLookup, portOf } from '../backend-policy/backend-address.ts';
import type { BackendPolicy } from '../backend-policy/backend-policy.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { formerServers } from './former-servers.ts';

/** Where calls go: the server of TELEGRAM_API_URL, or one that an admin added. */
export type Target = PlatformServer & {
  name: string;
  server: UpstreamServer | null;
  /** For the URL that serves its files. */
  filesGuard?: ServerGuard;
};

/** One client for each server, so that those of one server wait for no other one. */
export type ServerClients<Client> = {
  /** That of a bot; without one, that of strangers. */
  of(bot: AtServer | null): Client;
  ofToken(token: string): Client;
  close(): Promise<void>;
};

export type Upstreams = {
  /** `open` is called when the first call goes to a server, `close` once no bot is there any more. */
  clients<Client>(open: (target: Target) => Client, close?: (client: Client) => unknown): ServerClients<Client>;
  close(): void;
};

type Deps = { directory: BotDirectory; policy: BackendPolicy };
type Config = { platformUrl: string; platformProxy: ProxyTarget | null };
type Opened<Client> = { client: Client; key: string };

const LOOK_EVERY_MS = 60_000;

/** The one place that decides to which server the calls of a bot go. */
export function openUpstreams({ directory, policy }: Deps, { platformUrl, platformProxy }: Config): Upstreams {
  const former = formerServers(directory);
  const keepers = new Set<(used: ReadonlySet<string>) => void>();
  const home: Target = { name: DEFAULT_UPSTREAM, server: null, apiUrl: platformUrl, proxy: platformProxy };
  const targetOf = (server: UpstreamServer): Target => {
    const at = serverAt(server, platformProxy);
    const guard = guardOf(server, at.proxy, { policy, platformProxy });
    const ofFiles = /^https?:/i.test(server.files) ? { filesGuard: guardOfUrl(server.files, policy) } : {};
    return { ...at, ...ofFiles, name: server.name, server, guard };
  };
  const timer = setInterval(() => {
    if (!directory.ready()) return;
    const used = new Set(directory.all().flatMap(({ server }) => (server ? [keyOf(server)] : [])));
    for (const keep of keepers) keep(used);
  }, LOOK_EVERY_MS).unref();
  return {
    clients: (open, close = () => undefined) => {
      const ofStrangers = open(home);
      const byKey = new Map<string, Opened<ReturnType<typeof open>>>();
      const byServer = new WeakMap<UpstreamServer, Opened<ReturnType<typeof open>>>();
      const clientOf = (server: UpstreamServer) => {
        const known = byServer.get(server);
        if (known !== undefined && byKey.get(known.key) === known) return known.client;
        const key = keyOf(server);
        const opened = byKey.get(key) ?? { client: open(targetOf(server)), key };
        byKey.set(key, opened);
        byServer.set(server, opened);
        return opened.client;
      };
      const keep = (used: ReadonlySet<string>) => {
        for (const [key, { client }] of byKey) {
          if (used.has(key)) continue;
          byKey.delete(key);
          void close(client);
        }
      };
      keepers.add(keep);
      const of = (bot: AtServer | null) => {
        if (bot === null || (bot.upstream ?? DEFAULT_UPSTREAM) === DEFAULT_UPSTREAM) return ofStrangers;
        return clientOf(bot.server ?? unknownServer(bot.upstream));
      };
      return {
        of,
        ofToken: (token) => of((directory.ready() && directory.byToken(token)) || former.of(token)),
        close: async () => {
          keepers.delete(keep);
          await Promise.all([ofStrangers, ...[...byKey.values()].map(({ client }) => client)].map(close));
        },
      };
    },
    close: () => {
      clearInterval(timer);
      former.close();
    },
  };
}

function keyOf(server: UpstreamServer): string {
  return JSON.stringify([server.name, server.url, server.environment, server.proxy, server.files]);
}

const NOWHERE = 'http://upstream.invalid';

/** A release that knows no servers wrote the bot's configuration, and its calls must not go to another server meanwhile. */
function unknownServer(name: string): UpstreamServer {
  return { name, url: NOWHERE, environment: 'production', proxy: 'direct', webhook_url: '', files: '', uploads: '' };
}

/** Its address, and the way there. */
export function serverAt(
  { url, environment, proxy }: UpstreamServer,
  platformProxy: ProxyTarget | null,
): PlatformServer & { proxy: ProxyTarget | null } {
  const own = proxy === 'direct' ? null : proxy === '' ? platformProxy : parseProxyUrl(proxy);
  return { apiUrl: url, isTest: environment === 'test', proxy: own };
}

function guardOf(
  { name, url: text }: UpstreamServer,
  proxy: ProxyTarget | null,
  { policy, platformProxy }: { policy: BackendPolicy; platformProxy: ProxyTarget | null },
): ServerGuard {
  const { lookup, forbidden } = guardOfUrl(text, policy);
  const unknown = text === NOWHERE ? `the server of the upstream ${name} is not known yet` : null;
  const ofProxy =
    proxy === null || proxy === platformProxy ? () => null : forbiddenReasons(proxy.host, proxy.port, policy);
  return { lookup, forbidden: () => unknown ?? forbidden() ?? ofProxy() };
}

function guardOfUrl(text: string, policy: BackendPolicy): ServerGuard {
  const url = new URL(text);
  return {
    lookup: guardedLookup(portOf(url), policy),
    forbidden: forbiddenReasons(url.hostname, portOf(url), policy),
  };
}
