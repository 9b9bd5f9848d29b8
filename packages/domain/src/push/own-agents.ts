import type { Agent } from 'undici';

/** One agent for each bot whose backend has a certificate of its own. No other bot may use its connections. */
export type OwnAgents = {
  /** The bot's agent for this certificate. Use it at once: a later call may close it. */
  of(botId: number, certificate: string): Agent;
  /** Closes the bot's agent unless it is for this certificate; '' means none. */
  keepOnly(botId: number, certificate: string): void;
  close(): Promise<void>;
};

export type OwnAgentLimits = { atMost: number; idleMs: number };
type Own = { certificate: string; agent: Agent; usedAtMs: number };

const AGENTS_AT_MOST = 500;
/** Longer than idle connections are kept. */
const IDLE_MS = 60_000;

/** A removed agent ends its requests and then its connections, in the background. */
export function ownAgents(
  make: (certificate: string) => Agent,
  limits: OwnAgentLimits = { atMost: AGENTS_AT_MOST, idleMs: IDLE_MS },
): OwnAgents {
  // The agent that was used longest ago comes first.
  const agents = new Map<number, Own>();
  const letGo = (botId: number, { agent }: Own) => {
    agents.delete(botId);
    void agent.close().catch(() => undefined);
  };
  const letIdleGo = () => {
    const idleSinceMs = performance.now() - limits.idleMs;
    for (const [botId, own] of agents) {
      if (own.usedAtMs > idleSinceMs) break;
      letGo(botId, own);
    }
  };
  const timer = setInterval(letIdleGo, limits.idleMs / 2).unref();
  const keepOnly = (botId: number, certificate: string) => {
    const own = agents.get(botId);
    if (own !== undefined && own.certificate !== certificate) letGo(botId, own);
  };
  return {
    of: (botId, certificate) => {
      keepOnly(botId, certificate);
      const agent = agents.get(botId)?.agent ?? make(certificate);
      agents.delete(botId);
      agents.set(botId, { certificate, agent, usedAtMs: performance.now() });
      const oldest = agents.size > limits.atMost ? agents.entries().next().value : undefined;
      if (oldest !== undefined) letGo(...oldest);
      return agent;
    },
    keepOnly,
    close: async () => {
      clearInterval(timer);
      await Promise.all([...agents.values()].map(({ agent }) => agent.destroy()));
    },
  };
}
