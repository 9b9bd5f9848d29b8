import { OK } from '@flotilla/contract/fields.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { type UpstreamResource, upstream, type upstreamOperations } from '@flotilla/contract/upstreams.ts';
import { addUpstream, deleteUpstream, updateUpstream } from '@flotilla/domain/fleet/upstreams/change-upstreams.ts';
import { maskedProxy } from '@flotilla/domain/fleet/upstreams/masked-proxy.ts';
import { readUpstreamStates } from '@flotilla/domain/fleet/upstreams/upstream-health.ts';
import { type StoredUpstream, upstreamStore } from '@flotilla/domain/fleet/upstreams/upstream-store.ts';
import type { Context } from '../context.ts';
import { pageOf } from '../http/page.ts';
import type { Handlers } from '../operations/handler.ts';

export const upstreamHandlers: Handlers<typeof upstreamOperations> = {
  async listUpstreams(context, { input }) {
    const all = await upstreamStore(context.db, context.secrets).list();
    return pageOf(await present(context, all), input, ({ id }) => String(id));
  },

  async addUpstream(context, { input, by }) {
    return presentOne(context, await addUpstream(context, by, input));
  },

  async updateUpstream(context, { input: { id, ...changes }, by }) {
    return presentOne(context, await updateUpstream(context, by, id, changes));
  },

  async deleteUpstream(context, { input, by }) {
    await deleteUpstream(context, by, input.id);
    return OK;
  },
};

async function presentOne(context: Context, one: StoredUpstream): Promise<UpstreamResource> {
  const [shown] = await present(context, [one]);
  return shown!;
}

async function present(context: Context, all: StoredUpstream[]): Promise<UpstreamResource[]> {
  const states = await readUpstreamStates(
    context,
    all.map(({ name }) => name),
  );
  const bots = Map.groupBy(context.directory.all(), (bot) => bot.upstream);
  return all.map((one, at) =>
    answerOf(upstream, {
      ...one,
      ...states[at]!,
      proxy: maskedProxy(one.proxy),
      bots: bots.get(one.name)?.length ?? 0,
    }),
  );
}
