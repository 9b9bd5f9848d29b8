import { type IdempotencyKeys, idempotencyKeys } from '@flotilla/domain/delivery/idempotency/idempotency-keys.ts';
import { type OutboxRoom, outboxRoom } from '@flotilla/domain/delivery/outbox/outbox-room.ts';
import { tokenUseRecorder } from '@flotilla/domain/delivery/programs/token-use-recorder.ts';
import type { MeasurePull } from '@flotilla/domain/delivery/pull/read-updates.ts';
import { type StatusColumns, statusColumns } from '@flotilla/domain/fleet/bot-list/status-columns.ts';
import { followReadOnlyMode, type ReadOnlyMode } from '@flotilla/domain/fleet/maintenance/read-only-mode.ts';
import { type CredentialCache, credentialCache } from '@flotilla/domain/people/accounts/credential-cache.ts';
import { keyUseRecorder } from '@flotilla/domain/people/accounts/key-use-recorder.ts';
import { type RelyingParty, relyingPartyOf } from '@flotilla/domain/people/accounts/passkeys.ts';
import { type WorkLimit, workLimit } from '@flotilla/domain/people/accounts/work-limit.ts';
import { type ChatPhotos, chatPhotos } from '@flotilla/domain/records/files/chat-photos.ts';
import type { Kinds, Service } from '@flotilla/domain/startup/open-service.ts';
import { type SystemReader, systemReader } from '@flotilla/domain/watch/fleet-figures/read-system.ts';
import { botChanges } from '@flotilla/domain/watch/live/bot-changes.ts';
import { type ChannelWaiters, channelWaiters } from '@flotilla/redis/channel-waiters.ts';
import { channels } from '@flotilla/redis/keys.ts';
import { type ApiMetrics, apiMetrics } from './api-metrics.ts';
import { type Authentication, authentication } from './auth/authenticate.ts';
import { type SignInLimits, signInLimits } from './auth/sign-in-limits.ts';
import { type CredentialWatch, watchCredentials } from './auth/watch-credentials.ts';
import type { ApiConfig } from './config.ts';
import { type ClientAddress, clientAddress } from './http/client-address.ts';
import { type BodyBudget, bodyBudget } from './http/collect-body.ts';
import { type ProxyHost, proxyHost } from './http/proxy-host.ts';
import { type UploadLimit, uploadLimit } from './http/upload-limit.ts';
import { type Live, openLive } from './live/live.ts';

/** Everything that endpoints and the proxy need. `createContext` builds it once; functions take it first. */
export type Context = Service & {
  config: ApiConfig;
  proxy: ApiConfig['proxy'];
  chatPhotos: ChatPhotos;
  /** Pollers of this process that wait for a bot's next update. */
  waiters: ChannelWaiters;
  /** The Idempotency-Keys of calls. */
  idempotency: IdempotencyKeys;
  outboxRoom: OutboxRoom;
  /** Callers of this process that wait for an answer to a question. */
  questionWaiters: ChannelWaiters;
  /** The statuses by which lists of bots are filtered and sorted. */
  statusColumns: StatusColumns;
  /** The live streams of this process. */
  live: Live;
  readSystem: SystemReader;
  /** If changes are refused for maintenance. */
  readOnly: ReadOnlyMode;
  credentials: CredentialCache;
  auth: Authentication;
  recordTokenUse: (tokenId: number) => void;
  /** Watches the credentials of requests that take long. */
  credentialWatch: CredentialWatch;
  signInLimits: SignInLimits;
  /** Bounds how many passwords are hashed at once. */
  passwordWork: WorkLimit;
  clientAddress: ClientAddress;
  /** Null where browsers have no passkeys. */
  relyingParty: RelyingParty | null;
  /** Null if the proxy answers on every host. */
  proxyHost: ProxyHost | null;
  /** Limits the bytes of request bodies held in memory. */
  bodies: BodyBudget;
  uploads: UploadLimit;
  /** How many searches each account runs in this process. */
  searches: Map<number, number>;
  testsInFlight: Set<{ botId: number }>;
  measurePull: MeasurePull;
  apiMetrics: ApiMetrics;
  /** REST is not served before Postgres has answered for the first time, and nothing before bots are known. */
  startup: { waitsForPostgres: boolean; knewBots: boolean; madeAdmin: boolean };
  /** Aborts when the stop begins. The process is then unready, but serves until load balancers have noticed. */
  leaving: AbortSignal;
  beginLeaving(): void;
  /** Aborts when new connections are refused. Long polls are then answered. */
  stopping: AbortSignal;
  beginStop(): void;
};

/**
 * A password takes 19 MiB and tens of milliseconds of one of libuv's four threads, on which name lookups and files
 * depend, too. A hundred that wait are answered within seconds.
 */
const PASSWORD_WORK = { atOnce: 2, waiting: 100 };

export const API: Kinds[number] = { kind: 'api', roles: ['api'] };

/** Opens what an api needs beside what it shares with a worker. */
export function apiContext(config: ApiConfig, service: Service): Context {
  const { db, redis, clock, log, metrics, directory, onClose } = service;
  const waiters = channelWaiters(redis, channels.appended);
  onClose(waiters.close);
  const questionWaiters = channelWaiters(redis, channels.questions);
  onClose(questionWaiters.close);
  const idempotency = idempotencyKeys({ redis, memory: service.memory, log });
  onClose(async () => idempotency.close());
  const changes = botChanges(service);
  onClose(changes.close);
  const columns = statusColumns({ redis, clock, directory, floods: service.floods, changes });
  const live = openLive({ ...service, changes, statusColumns: columns }, config.live);
  onClose(live.close);
  const credentials = credentialCache({ db, redis, clock, log });
  const recordKeyUse = keyUseRecorder({ db, redis, clock, log });
  const recordTokenUse = tokenUseRecorder({ db, clock, log });
  const credentialWatch = watchCredentials({ db, redis, clock, log, credentials });
  onClose(credentialWatch.close);
  const counted = apiMetrics(metrics, () => waiters.count(), service.acceptedUpdates.of('webhook'));
  const readOnly = followReadOnlyMode({ db, log });
  onClose(async () => readOnly.close());
  const addressOf = clientAddress(config.http.trustedProxies);
  const leave = new AbortController();
  const stop = new AbortController();
  return {
    ...service,
    config,
    proxy: config.proxy,
    chatPhotos: chatPhotos(service),
    waiters,
    questionWaiters,
    idempotency,
    outboxRoom: outboxRoom({ db }),
    statusColumns: columns,
    live,
    readOnly,
    readSystem: systemReader({ ...service, config }),
    credentials,
    credentialWatch,
    recordTokenUse,
    auth: authentication({ credentials, recordKeyUse, clock }, redis, config),
    signInLimits: signInLimits(redis, clock),
    passwordWork: workLimit(PASSWORD_WORK),
    clientAddress: addressOf,
    relyingParty: relyingPartyOf(config.publicUrl),
    proxyHost: config.proxy.host === null ? null : proxyHost(config.proxy.host, config.http.trustedProxies),
    bodies: bodyBudget(metrics, addressOf),
    uploads: uploadLimit(),
    searches: new Map(),
    apiMetrics: counted,
    testsInFlight: new Set(),
    measurePull: counted.polls,
    startup: { waitsForPostgres: false, knewBots: false, madeAdmin: false },
    leaving: leave.signal,
    beginLeaving: () => leave.abort(),
    stopping: stop.signal,
    beginStop: () => stop.abort(),
  };
}
