import { Agent, type Dispatcher } from 'undici';
import { guardedLookup } from '../bots/backend-address.ts';
import type { Bot } from '../bots/bot.ts';

/** Kept-alive connections to backends; the address that is checked is the one connected to. */
export type BackendConnections = {
  to(bot: Bot): Dispatcher;
  close(): Promise<void>;
};

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
  return {
    to: (bot) => agentFor(bot.backendCertificate),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}
