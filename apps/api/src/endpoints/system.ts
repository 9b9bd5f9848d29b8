import { BOT_API_VERSION } from '@flotilla/contract/bot-api/update-kinds.ts';
import { OK } from '@flotilla/contract/fields.ts';
import type { SystemResource } from '@flotilla/contract/system.ts';
import type { systemOperations } from '@flotilla/contract/system-operations.ts';
import { adoptInstallation } from '@flotilla/domain/fleet/installation/adopt-installation.ts';
import { setReadOnly } from '@flotilla/domain/fleet/maintenance/read-only-mode.ts';
import { BACKLOG_LIMIT, TIGHT_BACKLOG_LIMIT } from '@flotilla/domain/fleet/memory/memory-pressure.ts';
import { confirmRemovals } from '@flotilla/domain/records/retention/confirm-removals.ts';
import type { FleetFigures } from '@flotilla/domain/watch/fleet-figures/fleet-figures.ts';
import type { SystemState } from '@flotilla/domain/watch/fleet-figures/read-system.ts';
import { requireNoOwner } from '@flotilla/domain/watch/fleet-figures/require-no-owner.ts';
import { VERSION } from '@flotilla/runtime/build.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { memoryLimitBytes } from '@flotilla/runtime/process-metrics.ts';
import { shownProxy } from '@flotilla/runtime/proxy-url.ts';
import type { ApiConfig } from '../config.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const systemHandlers: Handlers<typeof systemOperations> = {
  async showSystem(context) {
    const { database, redis, turns, figures, removals, upstreams } = await context.readSystem();
    return {
      process: presentProcess(),
      ...(database === null ? {} : { postgres: presentPostgres(database) }),
      ...(redis === null ? {} : { redis: presentRedis(redis) }),
      ...(turns === null ? {} : { turns: presentTurns(turns) }),
      ...(figures === null ? {} : { stored: presentStored(figures) }),
      settings: presentSettings(context.config),
      ...withoutNulls({ sandbox_url: context.config.sandbox_url ?? null }),
      ...withoutNulls({ upstreams }),
      limits: presentLimits(context.config),
      ...presentInstallation(context),
      ...(removals === null ? {} : presentRemovals(removals)),
      taken_at: iso(context.clock.nowMs()),
    };
  },

  async confirmRemoval(context, { input, by }) {
    await confirmRemovals(context.db, by, input, context.clock);
    return { ok: true };
  },

  async adoptInstallation(context, { input, by }) {
    const { installation, redis } = context;
    await installation.check();
    const quarantine = installation.quarantine();
    if (quarantine === null) {
      const ofOthers = 'if another one is, it uses the Redis of another installation, and its REDIS_URL may be wrong';
      throw new FlotillaError('conflict', `The process that answers is not in quarantine; ${ofOthers}`);
    }
    if (!input.force) await requireNoOwner(redis, quarantine);
    await adoptInstallation(context, by, quarantine.reason === 'other_redis');
    // The others look again within seconds.
    await installation.check();
    return { ok: true };
  },

  async setReadOnly(context, { input, by }) {
    await setReadOnly(context, by, input.read_only ? { reason: input.reason } : null);
    // The other processes look within a second.
    await context.readOnly.look();
    return OK;
  },

  async showReadOnly({ readOnly }) {
    const maintenance = readOnly.maintenance();
    if (maintenance === null) return { read_only: false };
    const { reason, since } = maintenance;
    return { read_only: true, ...(reason === '' ? {} : { reason }), since: since.toISOString() };
  },

  async showApiRoot({ config: { proxy } }) {
    return { path: proxy.prefix, ...withoutNulls({ host: proxy.host }) };
  },
};

const iso = (atMs: number): string => new Date(atMs).toISOString();

function presentInstallation({ installation }: Pick<Context, 'installation'>) {
  const quarantine = installation.quarantine();
  return {
    ...withoutNulls({ installation_id: installation.id() }),
    quarantined: quarantine !== null,
    ...withoutNulls({ quarantine_reason: quarantine?.text ?? null }),
  };
}

function presentRemovals({ clock_ms_apart, waiting }: NonNullable<SystemState['removals']>) {
  return {
    clock_ms_apart,
    removals_waiting: waiting.map(({ before, since, ...one }) => ({
      ...one,
      before: before.toISOString(),
      since: since.toISOString(),
    })),
  };
}

function presentProcess(): SystemResource['process'] {
  return {
    version: VERSION,
    bot_api_version: BOT_API_VERSION,
    node_version: process.versions.node,
    memory_bytes: process.memoryUsage.rss(),
    memory_limit_bytes: memoryLimitBytes(),
  };
}

function presentPostgres({ value, atMs }: NonNullable<SystemState['database']>): SystemResource['postgres'] {
  const { version, bytes, connections, maxConnections, newest, pending, unknown } = value;
  return {
    version,
    database_bytes: Number(bytes),
    connections: Number(connections),
    connections_max: maxConnections,
    migrations: { newest, pending, unknown },
    taken_at: iso(atMs),
  };
}

function presentRedis({ value, atMs, pressure, share }: NonNullable<SystemState['redis']>): SystemResource['redis'] {
  const { versions, durable, evicts, clients, used_bytes } = value;
  return {
    ...{ versions, ...withoutNulls({ durable, evicts }), connections: clients, used_bytes },
    ...{ memory_share: Number(share.toFixed(4)), memory_pressure: pressure, taken_at: iso(atMs) },
  };
}

function presentTurns({ value, atMs }: NonNullable<SystemState['turns']>): SystemResource['turns'] {
  const kinds = value.map(({ oldestMs, ...counts }) => ({ ...counts, oldest_pending_s: oldestMs / 1000 }));
  return { kinds, taken_at: iso(atMs) };
}

function presentStored({ atMs, log, backlog, history }: FleetFigures): SystemResource['stored'] {
  const { oldestAtMs, ...waiting } = history;
  return {
    log_entries: log,
    waiting_for_push: backlog.push,
    waiting_for_pull: backlog.pull,
    waiting_for_rules: backlog.rules,
    history: waiting,
    ...(oldestAtMs === null ? {} : { history_oldest_at: iso(oldestAtMs) }),
    taken_at: iso(atMs),
  };
}

/** Only what is listed here is shown, so that a new setting is not shown before somebody has thought of its secrets. */
function presentSettings({
  publicUrl,
  platformUrl,
  platformProxy,
  proxy,
  http,
  ...config
}: ApiConfig): SystemResource['settings'] {
  const shown: Record<string, string | number | boolean | null | string[]> = {
    PUBLIC_URL: originOf(publicUrl),
    TELEGRAM_API_URL: originOf(platformUrl),
    EXTRA_UPDATE_KINDS: config.extraKinds,
    TELEGRAM_PROXY: platformProxy === null ? null : shownProxy(platformProxy),
    PROXY_PREFIX: proxy.prefix,
    PROXY_HOST: proxy.host,
    PROXY_UNKNOWN_BOTS: proxy.unknownBots,
    AUTO_REGISTER_BOTS: proxy.autoRegisterBots ? 1 : 0,
    BACKEND_ALLOWED_CIDRS: config.backendAllowedCidrs,
    TRUSTED_PROXIES: http.trustedProxies,
    REDIS_DURABILITY: answersFor(config.redisChecks.durability),
    REDIS_EVICTION: answersFor(config.redisChecks.eviction),
    REDIS_MEMORY_LIMIT: config.redisMemoryLimit,
    API_DATABASE_CONNECTIONS: config.database.maxConnections,
    BALANCER_NOTICE_SECONDS: http.balancerNoticeMs / 1000,
    LOG_LEVEL: config.logLevel,
  };
  return Object.entries(shown).map(([name, value]) => ({ name, value: value === null ? '' : String(value) }));
}

function answersFor(isChecked: boolean): string {
  return isChecked ? 'checked' : 'provider';
}

/** User information, a path and a query could be secret. */
function originOf(url: string | null): string | null {
  return url === null ? null : new URL(url).origin;
}

function presentLimits({ http }: ApiConfig): SystemResource['limits'] {
  return [
    {
      name: 'waiting_updates',
      value: BACKLOG_LIMIT,
      description: 'Updates that wait for the quickest reader of a bot; beyond it the platform keeps them.',
    },
    {
      name: 'waiting_updates_while_tight',
      value: TIGHT_BACKLOG_LIMIT,
      description:
        'Updates that wait for the slowest reader of a bot while the memory of Redis is tight; beyond it the platform keeps them.',
    },
    { name: 'connections', value: http.maxConnections, description: 'Connections to one api: MAX_CONNECTIONS.' },
    {
      name: 'connections_per_address',
      value: http.maxConnectionsPerAddress,
      description: 'Connections of one address to one api: MAX_CONNECTIONS_PER_ADDRESS. 0 is no limit.',
    },
  ];
}
