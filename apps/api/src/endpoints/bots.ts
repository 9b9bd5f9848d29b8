import { isDeepStrictEqual } from 'node:util';
import type { botOperations } from '@flotilla/contract/bot-operations.ts';
import { type BotResource, bot as declared } from '@flotilla/contract/bots.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { settable } from '@flotilla/contract/resource.ts';
import { checkTemplate } from '@flotilla/domain/delivery/adoption/check-template.ts';
import { moveBot } from '@flotilla/domain/delivery/moves/move-bot.ts';
import { readBotStatus, readBotStatuses } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import { type BotCursor, cursorOf, findBots, type SortedBot } from '@flotilla/domain/fleet/bot-list/find-bots.ts';
import { addBot } from '@flotilla/domain/fleet/bots/add-bot.ts';
import type { Bot, BotChanges } from '@flotilla/domain/fleet/bots/bot.ts';
import { deleteBot } from '@flotilla/domain/fleet/bots/delete-bot.ts';
import { takeBack } from '@flotilla/domain/fleet/bots/take-back.ts';
import { maskedTemplate } from '@flotilla/domain/fleet/bots/template.ts';
import { toggleBot } from '@flotilla/domain/fleet/bots/toggle-bot.ts';
import { updateBot } from '@flotilla/domain/fleet/bots/update-bot.ts';
import { validateToken } from '@flotilla/domain/fleet/bots/validate-token.ts';
import { movesBot, serverOfName } from '@flotilla/domain/fleet/upstreams/server-of-name.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { haveSameValues } from '@flotilla/runtime/same-values.ts';
import { parseAllowedUpdates } from '@flotilla/telegram/update-kinds.ts';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
import { type Cursor, cutPage, decodeCursor, foreignCursor } from '../http/page.ts';
import { requireRole } from '../operations/authorize.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { audienceOf, presentBot, presentMoving } from '../present/present-bot.ts';

export const botHandlers: Handlers<typeof botOperations> = {
  async listBots(context, { input, caller }) {
    const { limit, offset, sort } = input;
    const named = input.ids?.flatMap((id) => context.directory.byId(id) ?? []) ?? context.directory.all();
    const visible = [...new Set(named)].filter(
      (bot) => seesBot(caller, bot.id) && isAdoptedBy(input.parent_bot_id, bot, caller),
    );
    const wanted = { after: decodedCursor(input.before, sort), count: offset + limit + 1 };
    const { bots, total, takenAtMs } = await findBots(context, visible, input, wanted);
    const page = cutPage(bots.slice(offset), limit, total, (found) => encodedCursor(found, sort));
    const statuses = await readBotStatuses(
      context,
      page.rows.map(({ bot }) => bot),
    );
    return { ...page, takenAtMs, rows: page.rows.map(({ bot }, at) => presentBot(caller, bot, statuses[at]!)) };
  },

  async showBot(context, { input, ...call }) {
    return presentTagged(context, call, requireBot(context, input.id));
  },

  async addBot(context, { input, by, ...call }) {
    checkLabels(context, call.caller, null, input.labels);
    checkTemplate(input.template ?? {});
    const bot = await addBot(context, by, { ...changesOfInput(input), token: input.token, source: 'web' });
    return presentTagged(context, call, bot);
  },

  async validateToken(context, { input }) {
    const at = serverOfName(context, input.upstream, input.environment);
    const { id, username, first_name } = await validateToken(context, input.token, at);
    return { id, username, first_name };
  },

  async updateBot(context, { input, by, ...call }) {
    const { id, ...changes } = input;
    checkTemplate(changes.template ?? {});
    const match = matchOf(context, call, versionOf);
    const requireRights = (bot: Bot) => {
      checkLabels(context, call.caller, bot, changes.labels);
      if (concernsFleet(bot, changes)) requireRole({ role: 'admin', wholeFleet: true }, call.caller);
    };
    requireRights(requireBot(context, id));
    // Also on the locked row: what was listed may be posted back only while it is still so.
    const check = (bot: Bot) => {
      requireRights(bot);
      match?.(bot);
    };
    return presentTagged(context, call, await updateBot(context, by, id, changesOfInput(changes), check));
  },

  async moveBot(context, { input, caller, by }) {
    requireRole({ role: 'admin', wholeFleet: true }, caller);
    context.installation.requireActive();
    const { id, upstream: to, dry_run: isDryRun } = input;
    const plan = await moveBot(context, by, requireBot(context, id), { to, isDryRun });
    const { moving } = isDryRun ? {} : requireBot(context, id);
    return { plan, ...(moving ? { moving: presentMoving(moving) } : {}) };
  },

  async toggleBotDisabled(context, { input, caller, by }) {
    return presentBotNow(context, caller, await toggleBot(context, by, input.id));
  },

  async takeBackBot(context, { input, by }) {
    const host = await takeBack(context, by, requireBot(context, input.id));
    return { ...OK, ...(host === null ? {} : { removed_url_host: host }) };
  },

  async revealToken(context, { input, by }) {
    const bot = requireBot(context, input.id);
    await recordAction(context, by, { action: 'token_reveal', bot_id: bot.id });
    return { token: bot.token };
  },

  async deleteBot(context, { input, by, request }) {
    await deleteBot(context, by, input.id, matchOf(context, { request }, versionOf));
    return OK;
  },
};

/** Without a parent, true for any bot. Whoever does not see the parent must not learn of it. */
function isAdoptedBy(parentId: number | undefined, bot: Bot, caller: Caller): boolean {
  return parentId === undefined || (bot.parent_bot_id === parentId && audienceOf(caller, bot).seesParent);
}

/** Throws 'forbidden' for labels that only an admin of all bots may give, since rights go by them, and 'bad_request' for too many. */
function checkLabels(
  { directory, config }: Context,
  caller: Caller,
  bot: Pick<Bot, 'id' | 'labels'> | null,
  wanted: readonly string[] | undefined,
): void {
  if (wanted === undefined || haveSameValues(wanted, bot?.labels ?? [])) return;
  requireRole({ role: 'admin', wholeFleet: true }, caller);
  const others = directory.all().filter(({ id }) => id !== bot?.id);
  const known = new Set(others.flatMap(({ labels }) => labels));
  const { size } = new Set([...known, ...wanted]);
  if (size > Math.max(config.labelsMax, known.size)) {
    throw refusedInput('labels', `would make ${size} labels in all, and LABELS_MAX is ${config.labelsMax}`);
  }
}

function versionOf(bot: Bot): Version {
  return { kind: 'bot', id: bot.id, fields: settable(declared, bot) };
}

type Sort = Call<typeof botOperations.listBots.input>['input']['sort'];

/** The cursor of a sorted list names its order, so that it cannot be used with another one. */
function encodedCursor(found: SortedBot, sort: Sort): Cursor {
  const { value, id } = cursorOf(found);
  return sort === undefined ? [id] : [sort, value, id];
}

function decodedCursor(before: string | undefined, sort: Sort): BotCursor | null {
  if (sort === undefined) {
    const [id] = decodeCursor(before, ['id']) ?? [];
    return id === undefined ? null : { value: 0, id };
  }
  const cursor = decodeCursor(before, ['text', sort === 'name' ? 'text' : 'ms', 'id']);
  if (cursor === null) return null;
  const [sortedBy, value, id] = cursor;
  if (sortedBy !== sort) throw foreignCursor();
  return { value, id };
}

type ChangeInput = Omit<Call<typeof botOperations.updateBot.input>['input'], 'id'>;

/** True if it brings bots to a server, or registers others. What was listed may be posted back. */
function concernsFleet(bot: Bot, changes: ChangeInput): boolean {
  const { adopts, template } = changes;
  const isNew = <Value>(given: Value | undefined, ...known: Value[]) =>
    given !== undefined && !known.some((one) => isDeepStrictEqual(one, given));
  const isOther = isNew(template, bot.template, maskedTemplate(bot.template));
  return movesBot(bot, changes) || isNew(adopts, bot.adopts) || isOther;
}

function changesOfInput({ allowed_updates, ...given }: ChangeInput): BotChanges {
  const changes = { ...given, allowed_updates: kindsOfInput(allowed_updates) };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Update kinds as a bot stores them; null for the platform's default set. */
export function kindsOfInput(named: string[] | null | undefined): string[] | null | undefined {
  if (named === undefined) return undefined;
  const parsed = parseAllowedUpdates(named);
  return parsed.kind === 'only' ? parsed.kinds : null;
}

/** The bot with its current state and its ETag. */
async function presentTagged(
  context: Context,
  { caller, response }: Pick<Call<z.ZodObject>, 'caller' | 'response'>,
  bot: Bot,
): Promise<BotResource> {
  tagAnswer(context, { response }, versionOf(bot));
  return presentBotNow(context, caller, bot);
}

/** The bot with its current state. */
async function presentBotNow(context: Context, caller: Caller, bot: Bot): Promise<BotResource> {
  return presentBot(caller, bot, await readBotStatus(context, bot));
}
