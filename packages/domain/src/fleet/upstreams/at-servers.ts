import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import { type PlatformClient, platformClient } from '@flotilla/telegram/platform-client.ts';
import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import { type PollingClient, pollingClient } from '@flotilla/telegram/polling-client.ts';
import { localClient } from './local-client.ts';
import { UNKNOWN_SERVER } from './server-of-name.ts';
import type { UpstreamHealth } from './upstream-health.ts';
import type { Upstreams } from './upstreams.ts';

type Deps = { upstreams: Upstreams; upstreamHealth: UpstreamHealth };
type Measure<Client> = (client: Client, upstream: string) => Client;

const UNKNOWN = {
  outcome: 'unreachable',
  reason: UNKNOWN_SERVER,
  timedOut: false,
  neverSent: true,
} as const;

/** Calls of each bot to its own server. A token that is not known is that of a stranger, unless `at` names its bot. */
export function atServers({ upstreams, upstreamHealth }: Deps, measure: Measure<PlatformClient>): PlatformClient {
  const clients = upstreams.clients((target) => {
    if (!target.isKnown) return NOWHERE;
    const { name } = target;
    return watched(measure(localClient(target, platformClient(target)), name), name, upstreamHealth);
  });
  const to = (token: string, at: AtServer | undefined) => (at === undefined ? clients.ofToken(token) : clients.of(at));
  return {
    call: (token, method, params, options) => to(token, options?.at).call(token, method, params, options),
    upload: (token, method, params, files, options) =>
      to(token, options?.at).upload(token, method, params, files, options),
    openFile: (token, path, part) => clients.ofToken(token).openFile(token, path, part),
  };
}

const NOWHERE: PlatformClient = {
  call: async () => UNKNOWN,
  upload: async (_token, _method, _params, files) => {
    for (const { stream } of files) stream.destroy();
    return UNKNOWN;
  },
  openFile: async () => UNKNOWN,
};

/** The same for polling. */
export function pollingAtServers({ upstreams, upstreamHealth }: Deps, measure: Measure<PollingClient>): PollingClient {
  const clients = upstreams.clients(
    (target) => ({ ...target, polling: measure(pollingClient(target), target.name) }),
    ({ polling }) => polling.close(),
  );
  return {
    getUpdates: async (token, params, options) => {
      const { name, isKnown, polling } = options.at === undefined ? clients.ofToken(token) : clients.of(options.at);
      if (!isKnown) return UNKNOWN;
      const begunAtMs = performance.now();
      const answer = await polling.getUpdates(token, params, options);
      upstreamHealth.learn(name, answer, begunAtMs);
      return answer;
    },
    close: clients.close,
  };
}

function watched(client: PlatformClient, name: string, health: UpstreamHealth): PlatformClient {
  const learn = (begunAtMs: number) => (answer: PlatformAnswer) => {
    health.learn(name, answer, begunAtMs);
    return answer;
  };
  return {
    ...client,
    call: (...call) => client.call(...call).then(learn(performance.now())),
    upload: (token, method, params, files, options) => {
      const begunAtMs = performance.now();
      return client.upload(token, method, params, files, options).then((answer) => {
        // A file that could not be read says nothing about the server.
        if (!files.some(({ stream }) => stream.errored !== null)) health.learn(name, answer, begunAtMs);
        return answer;
      });
    },
  };
}
