import { rm } from 'node:fs/promises';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { CLOUD_LOGGED_OUT_MS } from '@flotilla/simulator/simulator.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';

/**
 * A fleet whose bots are at the cloud (`default`), or at the server `local` beside it, whose update ids are low. That one is in local
 * mode: its files are on the disk.
 */
export type SideBySide = {
  fleet: Fleet;
  cloud: ControlClient;
  local: ControlClient;
  stop(): Promise<void>;
};

export async function startSideBySide(size: { apis: number; workers: number }): Promise<SideBySide> {
  const parts = new AsyncDisposableStack();
  const workingDir = parts.adopt(await throwAwayDir(), (dir) => rm(dir, { recursive: true }));
  const cloud = parts.adopt(
    await startSimulator({ settings: { serverName: 'cloud', loggedOutMs: CLOUD_LOGGED_OUT_MS } }),
    (one) => one.stop(),
  );
  const beside = { beside: cloud, settings: { serverName: 'local', firstUpdateId: 5, workingDir } };
  const local = parts.adopt(await startSimulator(beside), (one) => one.stop());
  let fleet: Fleet | undefined;
  const entry = parts.adopt(await startTcpRelay(() => fleet!.apis[0]!.port), (one) => one.stop());
  fleet = parts.adopt(
    await startFleet(size, {
      TELEGRAM_API_URL: cloud.url,
      TELEGRAM_UPSTREAMS: `local=${local.url};proxy=direct;files=${workingDir}`,
      PUBLIC_URL: `http://127.0.0.1:${entry.port}`,
    }),
    (one) => one.stop(),
  );
  return {
    fleet,
    cloud: controlClient(cloud.url),
    local: controlClient(local.url),
    stop: () => parts.disposeAsync(),
  };
}
