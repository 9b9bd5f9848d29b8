import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';
import { addBot } from '../../fleet/bots/add-bot.ts';
import type { Bot, BotChanges } from '../../fleet/bots/bot.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import { openBot } from '../../fleet/bots/bot-row.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { keepManagedToken, managedToken } from '../../fleet/bots/managed-token.ts';
import { nameKinds } from '../../fleet/bots/named-kinds.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { filledTemplate } from '../../fleet/bots/template.ts';
import { resultOf } from '../../fleet/bots/validate-token.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { auditedProgram } from '../programs/audited-program.ts';
import { checkProgram } from '../programs/check-program.ts';
import { creatorOf } from '../programs/creator.ts';
import type { ProgramContent } from '../programs/program.ts';
import { programStore } from '../programs/program-store.ts';
import { refuseLargePrograms } from '../programs/refuse-large-programs.ts';
import { programContent } from './check-template.ts';
import type { ManagedBot } from './managed-bot.ts';

/** Anybody may make bots for a parent. */
const ADOPTED_AT_MOST = 1_000;

/**
 * Registers a bot that a person made for its parent, by the parent's template, or stores its new token. May be repeated. A bot that was
 * deleted here since is registered again. Throws FlotillaError.
 */
export async function adoptBot(deps: BotDeps, parent: Bot, managed: ManagedBot): Promise<void> {
  const { made, ownerId } = managed;
  const token = await managedToken(deps, parent, made.id);
  const by: Actor = { kind: 'parent', botId: parent.id, username: parent.username, address: null };
  const ties = { parent_bot_id: parent.id, owner_user_id: ownerId };
  const bot = await findRegistered(deps, parent, made.id);
  if (bot === null) return register(deps, by, parent, { ...managed, token });
  const isKnown = bot.token === token && bot.parent_bot_id === parent.id && bot.owner_user_id === ownerId;
  // Whoever stored it may not have come so far as to publish it.
  if (isKnown) await republishBots(deps, [bot.id]);
  else await keepManagedToken(deps, by, { parent, bot, token }, ties, {});
}

/** The bot with this id at the platform, in the same environment: the test environment has ids of its own. */
async function findRegistered({ db, secrets }: BotDeps, parent: Bot, telegramId: number): Promise<Bot | null> {
  const rows = await botStore(db).byTelegramId(telegramId);
  const bots = rows.map((row) => openBot(secrets, row)).filter((bot) => bot.environment === parent.environment);
  return bots.find((bot) => bot.parent_bot_id === parent.id) ?? bots[0] ?? null;
}

async function register(
  deps: BotDeps,
  by: Actor,
  parent: Bot,
  { token, made, ownerId }: ManagedBot & { token: string },
): Promise<void> {
  const { programs = [], commands, ...settings } = filledTemplate(parent.template, made);
  const contents = programs.map(programContent);
  for (const content of contents) checkProgram(deps, content, null);
  if (commands !== undefined) resultOf(await deps.platform.call(token, 'setMyCommands', { commands }, { at: parent }));
  const ties = { parent_bot_id: parent.id, owner_user_id: ownerId };
  const at = { upstream: parent.upstream, environment: parent.environment };
  const wanted = { ...(settings as BotChanges), ...ties, ...at, token, source: 'cli' } as const;
  const bot = await addBot(deps, by, wanted, async (db, added) => {
    await refuseSecondOrTooMany(db, parent, added);
    await addPrograms({ ...deps, db }, by, added, contents);
  });
  const kinds = contents.flatMap((content) => content.kinds);
  if (kinds.length > 0) await nameKinds(deps, bot, kinds);
}

/** Two updates about one bot may be handled at once. */
async function refuseSecondOrTooMany(db: BotDeps['db'], parent: Bot, added: Bot): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('adopted bots'), ${parent.id}::int)`.execute(db);
  const { rows } = await sql<{ id: number; telegram_id: number }>`
    select id, telegram_id from bots where parent_bot_id = ${parent.id} and id <> ${added.id}`.execute(db);
  if (rows.some(({ telegram_id }) => telegram_id === added.telegram_id)) {
    throw new FlotillaError('conflict', 'This bot is registered already');
  }
  if (rows.length >= ADOPTED_AT_MOST) {
    throw new FlotillaError('bad_request', `A bot adopts at most ${ADOPTED_AT_MOST} bots`);
  }
}

async function addPrograms(
  deps: Pick<BotDeps, 'db' | 'secrets' | 'clock'>,
  by: Actor,
  { id }: Bot,
  contents: ProgramContent[],
): Promise<void> {
  const programs = programStore(deps.db, deps.secrets);
  for (const content of contents) {
    const program = await programs.insert(id, content, creatorOf(by));
    await recordAction(deps, by, auditedProgram('program_add', program));
  }
  await refuseLargePrograms(deps.db, id);
}
