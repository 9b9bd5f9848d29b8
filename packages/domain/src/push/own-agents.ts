import type { Agent } from 'undici';

/**
 * One agent for each bot or program whose backend has a certificate of its own. No other may use its connections. An
 * owner is `<bot id>` or `<bot id>:<program id>`.
 */
export type OwnAgents = {
  /** The owner's agent for this certificate. Use it at once: a later call may close it. */
  of(owner: string, certificate: string): Agent;
  /** Closes the owner's agent unless it is for this certificate; '' means none. */
  keepOnly(owner: string, certificate: string): void;
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
  const agents = new Map<string, Own>();
  const letGo = (owner: string, { agent }: Own) => {
    agents.delete(owner);
    void agent.close().catch(() => undefined);
  };
  const letIdleGo = () => {
    const idleSinceMs = performance.now() - limits.idleMs;
    for (const [owner, own] of agents) {
      if (own.usedAtMs > idleSinceMs) break;
      letGo(owner, own);
    }
  };
  const timer = setInterval(letIdleGo, limits.idleMs / 2).unref();
  const keepOnly = (owner: string, certificate: string) => {
    const own = agents.get(owner);
    if (own !== undefined && own.certificate !== certificate) letGo(owner, own);
  };
  return {
    of: (owner, certificate) => {
      keepOnly(owner, certificate);
      const agent = agents.get(owner)?.agent ?? make(certificate);
      agents.delete(owner);
      agents.set(owner, { certificate, agent, usedAtMs: performance.now() });
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
