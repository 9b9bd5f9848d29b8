import { Agent, type Dispatcher } from 'undici';
import { forbiddenReason, guardedLookup, parseBackendUrl } from '../bots/backend-address.ts';
import type { Bot } from '../bots/bot.ts';

/** Where and how a bot's updates are sent. */
export type BackendTarget = {
  dispatcher: Dispatcher;
  origin: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /** Why nothing may be sent there, or null. */
  forbidden: string | null;
};

/** Kept-alive connections to backends; the address that is checked is the one connected to. */
export type BackendConnections = {
  to(bot: Bot): BackendTarget;
  close(): Promise<void>;
};

/** What a malformed URL stands for; saving one is refused. The host is one that is never connected to. */
const NOWHERE = new URL('http://169.254.0.0/');
const KEPT_ALIVE_MS = 30_000;
const CONNECT_DEADLINE_MS = 10_000;

export function backendConnections(allowedCidrs: string[]): BackendConnections {
  const agents = new Map<string, Agent>();
  const agentFor = (certificate: string): Agent => {
    const known = agents.get(certificate);
    if (known) return known;
    const agent = new Agent({
      keepAliveTimeout: KEPT_ALIVE_MS,
      pipelining: 1,
      connect: {
        timeout: CONNECT_DEADLINE_MS,
        lookup: guardedLookup(allowedCidrs),
        ...(certificate === '' ? {} : { ca: certificate }),
      },
    });
    agents.set(certificate, agent);
    return agent;
  };
  // A changed bot is another object, so that what is kept here is never out of date.
  const targets = new WeakMap<Bot, BackendTarget>();
  return {
    to: (bot) => {
      const known = targets.get(bot);
      if (known) return known;
      const url = parseBackendUrl(bot.backendUrl) ?? NOWHERE;
      const target = {
        dispatcher: agentFor(bot.backendCertificate),
        origin: url.origin,
        path: url.pathname + url.search,
        headers: headersFor(bot, url),
        forbidden: forbiddenReason(url.hostname, allowedCidrs),
      };
      targets.set(bot, target);
      return target;
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function headersFor(bot: Bot, url: URL): Record<string, string> {
  const headers: Record<string, string> = {
    // Exactly so: some libraries refuse a charset here.
    'Content-Type': 'application/json',
  };
  if (bot.secretToken !== '') headers['X-Telegram-Bot-Api-Secret-Token'] = bot.secretToken;
  if (url.username !== '') {
    const userinfo = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.Authorization = `Basic ${Buffer.from(userinfo).toString('base64')}`;
  }
  return headers;
}
