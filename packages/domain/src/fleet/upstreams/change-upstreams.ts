import type { Additions, Changes } from '@flotilla/contract/resource.ts';
import { settable } from '@flotilla/contract/resource.ts';
import { DEFAULT_UPSTREAM, upstream } from '@flotilla/contract/upstreams.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { describeChanges, describeNew } from '../../people/audit/describe-changes.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import type { BackendPolicy } from '../backend-policy/backend-policy.ts';
import type { BotDeps } from '../bots/bot-deps.ts';
import { botStore } from '../bots/bot-store.ts';
import { republishBots } from '../bots/republish-bots.ts';
import { refuseUpstreamFaults } from './check-upstream.ts';
import { maskedProxy } from './masked-proxy.ts';
import { type StoredUpstream, type UpstreamSettings, upstreamStore } from './upstream-store.ts';

export type UpstreamDeps = BotDeps & { upstreamPolicy: BackendPolicy };

const UPSTREAMS_AT_MOST = 50;

/** Throws 'bad_request', or 'conflict' if the name is taken. */
export async function addUpstream(
  deps: UpstreamDeps,
  by: Actor,
  { name, ...settings }: Additions<typeof upstream> & { name: string },
): Promise<StoredUpstream> {
  if (name === DEFAULT_UPSTREAM) throw refusedInput('name', 'is the name of the server in TELEGRAM_API_URL');
  await refuseUpstreamFaults(deps.upstreamPolicy, settings);
  return deps.db.transaction().execute(async (db) => {
    const upstreams = upstreamStore(db, deps.secrets);
    if ((await upstreams.list()).length >= UPSTREAMS_AT_MOST) {
      throw new FlotillaError('bad_request', `There can be ${UPSTREAMS_AT_MOST} upstreams`);
    }
    const added = await upstreams.insert(name, settings);
    if (added === null) throw new FlotillaError('conflict', 'There is an upstream with this name');
    await recordAction({ ...deps, db }, by, audited('upstream_add', added, describeNew(shownSettings(added))));
    return added;
  });
}

/** Its bots are told of it before this returns. Throws 'not_found' or 'bad_request'. */
export async function updateUpstream(
  deps: UpstreamDeps,
  by: Actor,
  id: number,
  wanted: Changes<typeof upstream>,
): Promise<StoredUpstream> {
  const { after, bots } = await deps.db.transaction().execute(async (db) => {
    const upstreams = upstreamStore(db, deps.secrets);
    const before = found(await upstreams.lock(id));
    const settings = { ...before, ...withoutMask(before, settable(upstream, wanted)) } satisfies UpstreamSettings;
    await refuseUpstreamFaults(deps.upstreamPolicy, settings);
    const bots = await upstreams.botsOf(before.name);
    if (settings.environment !== before.environment && bots.length > 0) {
      throw refusedInput('environment', 'cannot change while bots use the upstream');
    }
    const after = await upstreams.update(id, settings);
    const changes = describeChanges(shownSettings(before), shownSettings(after));
    await recordAction({ ...deps, db }, by, audited('upstream_update', after, changes));
    await botStore(db).touch(bots);
    return { after, bots };
  });
  await republishBots(deps, bots);
  return after;
}

/** Throws 'not_found', or 'conflict' while bots are at it. */
export async function deleteUpstream(deps: UpstreamDeps, by: Actor, id: number): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const upstreams = upstreamStore(db, deps.secrets);
    const gone = found(await upstreams.lock(id));
    const bots = await upstreams.botsOf(gone.name);
    if (bots.length > 0) {
      throw new FlotillaError('conflict', `Bots are at this upstream: ${bots.slice(0, 10).join(', ')}`);
    }
    await upstreams.remove(id);
    await recordAction({ ...deps, db }, by, audited('upstream_delete', gone, ''));
  });
}

function found(one: StoredUpstream | null): StoredUpstream {
  if (one === null) throw new FlotillaError('not_found', 'Upstream not found');
  return one;
}

/** A proxy that was sent back masked is no change. */
function withoutMask<Given extends Changes<typeof upstream>>(before: StoredUpstream, changes: Given): Given {
  return changes.proxy === maskedProxy(before.proxy) ? { ...changes, proxy: before.proxy } : changes;
}

function shownSettings(one: StoredUpstream) {
  return { ...settable(upstream, one), proxy: maskedProxy(one.proxy) };
}

function audited(
  action: 'upstream_add' | 'upstream_update' | 'upstream_delete',
  { id, name }: StoredUpstream,
  details: string,
) {
  return { action, details: [`upstream ${id}`, `name: ${JSON.stringify(name)}`, details].filter(Boolean).join('; ') };
}
