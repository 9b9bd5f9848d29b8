import type { Agent } from 'undici';
import type { OwnWay } from './backend-connector.ts';

/**
 * One agent for each bot or program whose backend has a certificate or an address of its own. No other may use its connections. An
 * owner is `<bot id>` or `<bot id>:<program id>`.
 */
export type OwnAgents = {
  /** The owner's agent for this way. Use it at once: a later call may close it. */
  of(owner: string, way: OwnWay): Agent;
  /** Closes the owner's agent unless it is for this way. */
  keepOnly(owner: string, way: OwnWay): void;
  close(): Promise<void>;
};

export type OwnAgentLimits = { atMost: number; idleMs: number };
type Own = { way: OwnWay; agent: Agent; usedAtMs: number };

const AGENTS_AT_MOST = 500;
/** Longer than idle connections are kept. */
const IDLE_MS = 60_000;

/** A removed agent ends its requests and then its connections, in the background. */
export function ownAgents(
  make: (way: OwnWay) => Agent,
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
  const keepOnly = (owner: string, way: OwnWay) => {
    const own = agents.get(owner);
    if (own !== undefined && !isSame(own.way, way)) letGo(owner, own);
  };
  return {
    of: (owner, way) => {
      keepOnly(owner, way);
      const agent = agents.get(owner)?.agent ?? make(way);
      agents.delete(owner);
      agents.set(owner, { way, agent, usedAtMs: performance.now() });
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

function isSame(one: OwnWay, other: OwnWay): boolean {
  return one.certificate === other.certificate && one.ipAddress === other.ipAddress;
}
