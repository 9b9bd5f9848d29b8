import { measurePlatform } from '@flotilla/telegram/measure-platform.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import { honourFloods } from '../delivery/flood/honour-floods.ts';
import { type ChatBinder, chatBinder } from '../delivery/programs/chat-binder.ts';
import { type BackendConnections, backendConnections } from '../delivery/push/backend-connections.ts';
import { type AnsweredCallbacks, answeredBefore, answeredCallbacks } from '../delivery/readers/answered-callbacks.ts';
import { type RefusalRecorder, refusalRecorder } from '../delivery/refusals/refusal-recorder.ts';
import { watchReach } from '../delivery/unreachable/watch-reach.ts';
import { onlyReadsInQuarantine } from '../fleet/installation/only-reads.ts';
import { atServers } from '../fleet/upstreams/at-servers.ts';
import { holdWhileMoving } from '../fleet/upstreams/hold-while-moving.ts';
import { type GroupFollower, groupFollower } from '../records/moved-groups/group-follower.ts';
import { type OwnerAnswers, ownerAnswers } from '../records/takeover/owner-answers.ts';
import type { SharedParts } from './shared-parts.ts';

/** How a process reaches the platform and the programs of bots. */
export type Outside = {
  platform: PlatformClient;
  /** For the steps of moves between servers, while `platform` answers that the bot moves. */
  duringMoves: PlatformClient;
  /** Counts calls to the platform, for clients beside `platform`. */
  platformCalls: ReturnType<typeof measurePlatform>;
  groupFollower: GroupFollower;
  ownerAnswers: OwnerAnswers;
  chatBinder: ChatBinder;
  /** Connections to backends. */
  backends: BackendConnections;
  /** Keeps which calls of programs were refused. */
  programRefusals: RefusalRecorder;
  /** Which button presses of bots with several readers were answered. */
  answeredCallbacks: AnsweredCallbacks;
};

export function openOutside(parts: SharedParts): Outside {
  const { redis, clock, log, metrics, directory, installation, onClose } = parts;
  const backends = backendConnections(parts.backendPolicy);
  onClose(backends.close);
  directory.onChange((botId) => {
    if (directory.ready()) backends.changed(botId, directory.byId(botId));
  });
  const programRefusals = refusalRecorder({ redis, clock, log });
  onClose(async () => programRefusals.close());
  const platformCalls = measurePlatform(metrics);
  const client = atServers(parts, platformCalls.client);
  const allowed = onlyReadsInQuarantine(
    installation,
    holdWhileMoving(parts, honourFloods(parts, watchReach(parts, client))),
  );
  const groups = groupFollower({ ...parts, platform: allowed });
  return {
    platform: groups.platform,
    duringMoves: onlyReadsInQuarantine(installation, client),
    platformCalls,
    groupFollower: groups,
    ownerAnswers: ownerAnswers(parts),
    chatBinder: chatBinder({ ...parts, platform: groups.platform }),
    backends,
    programRefusals,
    answeredCallbacks: answeredCallbacks({ redis }, answeredBefore(metrics)),
  };
}
