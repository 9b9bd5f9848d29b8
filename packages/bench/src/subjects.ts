import { benchBots } from './bots.ts';
import { benchBroadcast } from './broadcast.ts';
import { benchConsole } from './console.ts';
import { benchDelay } from './delay.ts';
import { benchDownload } from './download.ts';
import { benchFleet } from './fleet.ts';
import { benchFlood } from './flood.ts';
import { benchHistory } from './history.ts';
import { benchInbox } from './inbox.ts';
import { benchLive } from './live.ts';
import { benchMasters } from './masters.ts';
import { benchNeighbours } from './neighbours.ts';
import { benchOutbox } from './outbox.ts';
import { benchPolled } from './polled.ts';
import { benchPrograms } from './programs.ts';
import { benchProxy } from './proxy.ts';
import { benchPull } from './pull.ts';
import { benchPush } from './push.ts';
import { benchRemoval } from './removal.ts';
import { benchRest } from './rest.ts';
import { benchRouter } from './router.ts';
import { benchScale } from './scale.ts';
import { benchSearch } from './search.ts';
import { benchSizing } from './sizing.ts';
import { benchSoak } from './soak.ts';

/** Each measures one thing on a database of its own, and prints what it found. */
export const SUBJECTS = {
  proxy: benchProxy,
  push: benchPush,
  delay: benchDelay,
  pull: benchPull,
  fleet: benchFleet,
  history: benchHistory,
  bots: benchBots,
  console: benchConsole,
  live: benchLive,
  polled: benchPolled,
  neighbours: benchNeighbours,
  programs: benchPrograms,
  flood: benchFlood,
  search: benchSearch,
  inbox: benchInbox,
  removal: benchRemoval,
  outbox: benchOutbox,
  broadcast: benchBroadcast,
  sizing: benchSizing,
  rest: benchRest,
  router: benchRouter,
  scale: benchScale,
  masters: benchMasters,
  download: benchDownload,
  soak: benchSoak,
} satisfies Record<string, (database: { url: string; rows?: number }) => Promise<void>>;
