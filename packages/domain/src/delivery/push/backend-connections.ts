import { Agent, type Dispatcher, Pool } from 'undici';
import { forbiddenReasons, parseBackendUrl, portOf } from '../../fleet/backend-policy/backend-address.ts';
import type { BackendPolicy } from '../../fleet/backend-policy/backend-policy.ts';
import { type Bot, pushes } from '../../fleet/bots/bot.ts';
import type { BackendAddress } from './backend.ts';
import { backendConnector, NO_OWN_WAY, type OwnWay } from './backend-connector.ts';
import { type OwnAgentLimits, ownAgents } from './own-agents.ts';

/** Where and how to send a bot's updates. */
export type BackendTarget = {
  /** Use it at once: a later call may close it. */
  dispatcher: Dispatcher;
  origin: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /** Why nothing may be sent there, or null. */
  forbidden: string | null;
};

/** Kept-alive connections to backends. They connect to the very address that was checked. */
export type BackendConnections = {
  to(backend: BackendAddress): BackendTarget;
  /** Closes what was kept for the bot's old configuration. `bot` is undefined when the bot is gone. */
  changed(botId: number, bot: Bot | undefined): void;
  close(): Promise<void>;
};

type Addressed = Omit<BackendTarget, 'dispatcher' | 'forbidden'> & { forbidden(): string | null };

export const SECRET_TOKEN_HEADER = 'X-Telegram-Bot-Api-Secret-Token';
/** Stands for a malformed URL, which nobody can save. We never connect to this host. */
const NOWHERE = new URL('http://169.254.0.0/');
const KEPT_ALIVE_MS = 30_000;

export function backendConnections(policy: BackendPolicy, limits?: OwnAgentLimits): BackendConnections {
  const agentOf = (way: OwnWay) =>
    new Agent({
      keepAliveTimeout: KEPT_ALIVE_MS,
      pipelining: 1,
      factory: (origin, options) =>
        new Pool(origin, { ...options, connect: backendConnector(new URL(origin), way, policy) }),
    });
  const shared = agentOf(NO_OWN_WAY);
  const owned = ownAgents(agentOf, limits);
  // A changed bot is a new object, so a kept address is never out of date.
  const addresses = new WeakMap<BackendAddress, Addressed>();
  return {
    to: (backend) => {
      let addressed = addresses.get(backend);
      if (addressed === undefined) {
        addressed = addressOf(backend, policy);
        addresses.set(backend, addressed);
      }
      const { forbidden, ...target } = addressed;
      const { id, program } = backend;
      const way = ownWayOf(backend);
      return {
        ...target,
        forbidden: forbidden(),
        dispatcher: way === null ? shared : owned.of(program === undefined ? `${id}` : `${id}:${program.id}`, way),
      };
    },
    changed: (botId, bot) =>
      owned.keepOnly(`${botId}`, (bot !== undefined && pushes(bot) && ownWayOf(bot)) || NO_OWN_WAY),
    close: async () => {
      await Promise.all([shared.destroy(), owned.close()]);
    },
  };
}

function addressOf(backend: BackendAddress, policy: BackendPolicy): Addressed {
  const url = parseBackendUrl(backend.backend_url) ?? NOWHERE;
  const ofHost = forbiddenReasons(url.hostname, portOf(url), policy);
  const ofAddress = forbiddenReasons(backend.backend_ip_address, portOf(url), policy);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: headersFor(backend, url),
    forbidden: backend.backend_ip_address === '' ? ofHost : () => ofHost() ?? ofAddress(),
  };
}

function ownWayOf({ backend_certificate, backend_ip_address }: BackendAddress): OwnWay | null {
  if (backend_certificate === '' && backend_ip_address === '') return null;
  return { certificate: backend_certificate, ipAddress: backend_ip_address };
}

/** The headers of every request to the bot's backend. */
export function headersFor(backend: Pick<BackendAddress, 'secret_token'>, url: URL): Record<string, string> {
  const headers: Record<string, string> = {
    // Without a charset, because some libraries refuse one.
    'Content-Type': 'application/json',
  };
  if (backend.secret_token !== '') headers[SECRET_TOKEN_HEADER] = backend.secret_token;
  if (url.username !== '' || url.password !== '') {
    const userinfo = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.Authorization = `Basic ${Buffer.from(userinfo).toString('base64')}`;
  }
  return headers;
}
