import { DEFAULT_UPSTREAM } from '@flotilla/contract/upstreams.ts';
import { type FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import type { BotDeps } from '../bots/bot-deps.ts';
import { upstreamStore } from './upstream-store.ts';

type Deps = Pick<BotDeps, 'db' | 'secrets'>;

/** Throws FlotillaError('bad_request') if there is no server of this name. */
export async function serverOfName({ db, secrets }: Deps, upstream = DEFAULT_UPSTREAM): Promise<AtServer> {
  if (upstream === DEFAULT_UPSTREAM) return { upstream, server: null };
  const server = await upstreamStore(db, secrets).find(upstream);
  if (server === null) throw unknownUpstream();
  return { upstream, server };
}

/** True if there is such a server, which stays until the transaction ends. */
export async function keepsServer({ db, secrets }: Deps, upstream = DEFAULT_UPSTREAM): Promise<boolean> {
  return upstream === DEFAULT_UPSTREAM || upstreamStore(db, secrets).keep(upstream);
}

export function unknownUpstream(): FlotillaError {
  return refusedInput('upstream', 'is not the name of an upstream');
}
