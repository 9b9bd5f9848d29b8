import type { broadcastOperations } from '@flotilla/contract/broadcast-operations.ts';
import {
  type Broadcast,
  type BroadcastResource,
  broadcastResource,
  FAILURE_COLUMNS,
  MOST_FAILURES,
  type ShownBroadcast,
} from '@flotilla/contract/broadcasts.ts';
import { answerOf, settable } from '@flotilla/contract/resource.ts';
import { untilAborted } from '@flotilla/database/until-aborted.ts';
import { addBroadcast, tryBroadcast } from '@flotilla/domain/delivery/broadcasts/add-broadcast.ts';
import { readAudienceChoices } from '@flotilla/domain/delivery/broadcasts/audience-choices.ts';
import { countsOf } from '@flotilla/domain/delivery/broadcasts/broadcast.ts';
import {
  broadcastEntryStore,
  type FailedEntry,
  type Failure,
} from '@flotilla/domain/delivery/broadcasts/broadcast-entry-store.ts';
import { broadcastStore } from '@flotilla/domain/delivery/broadcasts/broadcast-store.ts';
import { changeBroadcast } from '@flotilla/domain/delivery/broadcasts/change-broadcast.ts';
import type { ListScope } from '@flotilla/domain/delivery/broadcasts/chat-list-store.ts';
import { updateBroadcast } from '@flotilla/domain/delivery/broadcasts/update-broadcast.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { streamText } from '../http/send-answer.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { whileWanted } from '../operations/search-limit.ts';
import { csvField } from './export-format.ts';
import { withoutNulls } from './without-nulls.ts';

export const broadcastHandlers: Handlers<typeof broadcastOperations> = {
  async addBroadcast(context, { input, caller, by, response }) {
    const bot = requireBot(context, input.bot_id);
    const wanted = {
      ...{ name: input.name, audience: withoutUndefined(input.audience), method: input.method, params: input.params },
      ...rightsOf(caller),
      per_second: input.per_second ?? null,
      send_at: input.send_at === undefined ? null : new Date(input.send_at * 1000),
    };
    if (!input.dry_run) return presentBroadcast(await addBroadcast(context, bot, by, wanted));
    const tried = await whileWanted(context, caller, response, null, (signal) =>
      untilAborted(context.db, signal, (db) => tryBroadcast({ ...context, db }, bot, wanted)),
    );
    if (tried === null) throw new FlotillaError('unavailable', 'The client has gone');
    const { total, blocked, ...content } = tried;
    const now = new Date(context.clock.nowMs());
    const { id: _, ...answer } = answerOf(broadcastResource, {
      ...{ ...content, id: 0, state: content.send_at !== null && content.send_at > now ? 'scheduled' : 'running' },
      counts: { total, queued: total, sent: 0, failed: 0, blocked, in_doubt: 0, cancelled: 0 },
      created_by: by.kind === 'account' ? (by.username ?? '') : '',
      ...{ created_at: now, started_at: null, ended_at: null },
    });
    return answer;
  },

  async listBroadcasts({ db, ...context }, { input, caller }) {
    const { limit, offset, before, ...query } = input;
    if (query.bot_id !== undefined) requireBot({ db, ...context }, query.bot_id);
    const [beforeId = null] = decodeCursor(before, ['id']) ?? [];
    const store = broadcastStore(db);
    const [rows, total] = await Promise.all([
      store.list(caller.scope, query, { limit: limit + 1, offset, beforeId }),
      store.count(caller.scope, query),
    ]);
    return cutPage(rows.map(presentBroadcast), limit, total, ({ id }) => [id]);
  },

  showBroadcast: {
    findBots: findBotOfBroadcast,
    async handle({ db, secrets }, { input, response }) {
      const broadcast = await requireBroadcast({ db }, input.id);
      tagAnswer({ secrets }, { response }, versionOf(broadcast));
      const failures = await broadcastEntryStore(db).failures(input.id, MOST_FAILURES);
      return { ...presentBroadcast(broadcast), failures: failures.map(presentFailure) };
    },
  },

  updateBroadcast: {
    findBots: findBotOfBroadcast,
    async handle(context, { input, caller, by, request, response }) {
      const { id, audience, send_at, ...others } = input;
      const known = await requireBroadcast(context, id);
      const changes = withoutUndefined({
        ...others,
        audience: audience && withoutUndefined(audience),
        send_at: typeof send_at === 'number' ? new Date(send_at * 1000) : send_at,
      });
      const bot = requireBot(context, known.bot_id);
      const wanted = { id, changes, ...rightsOf(caller) };
      const changed = await updateBroadcast(context, bot, by, wanted, matchOf(context, { request }, versionOf));
      tagAnswer(context, { response }, versionOf(changed));
      return presentBroadcast(changed);
    },
  },

  async listAudienceChoices(context, { input, caller, response }) {
    const wanted = { bot_id: requireBot(context, input.bot_id).id, q: input.q };
    return whileWanted(context, caller, response, { tags: [], languages: [] }, (signal) =>
      untilAborted(context.db, signal, (db) => readAudienceChoices({ db }, wanted)),
    );
  },

  exportBroadcastFailures: {
    findBots: findBotOfBroadcast,
    async handle(context, { input, by, request, response, whileAllowed }) {
      const { id, format, ...reason } = input;
      const { bot_id } = await requireBroadcast(context, id);
      const headers = {
        'Content-Type': `${format === 'csv' ? 'text/csv' : 'application/x-ndjson'}; charset=utf-8`,
        'Content-Disposition': `attachment; filename="broadcast${id}-failures.${format}"`,
      };
      await recordAction(context, by, {
        action: 'export',
        bot_id,
        details: `failures of broadcast ${id}; ${format}`,
      });
      await whileAllowed((ended) =>
        streamText(request, response, headers, failureLines(context, id, format, reason), ended),
      );
    },
  },

  pauseBroadcast: {
    findBots: findBotOfBroadcast,
    handle: async (context, { input, by }) => presentBroadcast(await changeBroadcast(context, by, 'pause', input.id)),
  },

  resumeBroadcast: {
    findBots: findBotOfBroadcast,
    handle: async (context, { input, by }) => presentBroadcast(await changeBroadcast(context, by, 'resume', input.id)),
  },

  cancelBroadcast: {
    findBots: findBotOfBroadcast,
    handle: async (context, { input, by }) => presentBroadcast(await changeBroadcast(context, by, 'cancel', input.id)),
  },
};

function versionOf(broadcast: Broadcast): Version {
  return { kind: 'broadcast', id: broadcast.id, fields: settable(broadcastResource, broadcast) };
}

async function requireBroadcast({ db }: Pick<Context, 'db'>, id: number): Promise<Broadcast> {
  const broadcast = await broadcastStore(db).find(id);
  if (broadcast === null) throw new FlotillaError('not_found', 'Broadcast not found');
  return broadcast;
}

function rightsOf(caller: Caller) {
  return { mayPay: caller.role === 'admin', lists: listScopeOf(caller) };
}

const NO_ACCOUNT = 0;

/** An admin sees the lists of all accounts. Lists are for any bot, so a key of some bots sees none. */
export function listScopeOf({ role, account, apiKey }: Caller): ListScope {
  if (apiKey !== null && apiKey.bot_ids !== null) return { accountId: NO_ACCOUNT };
  return role === 'admin' ? 'all' : { accountId: account.id };
}

const FAILURES_AT_ONCE = 1_000;
type FailureReason = Parameters<ReturnType<typeof broadcastEntryStore>['failedAfter']>[1];

async function* failureLines({ db }: Context, id: number, format: 'csv' | 'ndjson', reason: FailureReason) {
  if (format === 'csv') yield `${FAILURE_COLUMNS.join(',')}\r\n`;
  for (let after: number | null = null; ; ) {
    const page: FailedEntry[] = await broadcastEntryStore(db).failedAfter(id, reason, after, FAILURES_AT_ONCE);
    for (const entry of page) yield failureLine(entry, format);
    after = page.at(-1)?.chat_id ?? null;
    if (page.length < FAILURES_AT_ONCE) return;
  }
}

function failureLine({ settled_at: at, ...entry }: FailedEntry, format: 'csv' | 'ndjson'): string {
  const shown = { ...withoutNulls(entry), settled_at: at?.toISOString() };
  if (format === 'ndjson') return `${JSON.stringify(shown)}\n`;
  return `${FAILURE_COLUMNS.map((column) => csvField(shown[column])).join(',')}\r\n`;
}

async function findBotOfBroadcast({ db }: Context, id: number): Promise<number[]> {
  const broadcast = await broadcastStore(db).find(id);
  return broadcast === null ? [] : [broadcast.bot_id];
}

function presentBroadcast(broadcast: Broadcast): BroadcastResource {
  return answerOf(broadcastResource, {
    ...broadcast,
    counts: countsOf(broadcast),
    created_by: broadcast.created_by.username ?? '',
  });
}

function presentFailure({ error_code, error, ...failure }: Failure): ShownBroadcast['failures'][number] {
  return { ...failure, ...withoutNulls({ error_code }), error: error ?? '' };
}

/** The stored form. */
function withoutUndefined<Given extends object>(given: Given): Defined<Given> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<Given>;
}

type Defined<Given> = { [Name in keyof Given]: Exclude<Given[Name], undefined> };
