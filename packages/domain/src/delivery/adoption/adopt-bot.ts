import { randomBytes } from 'node:crypto';
import { lockLimit } from '@flotilla/database/lock-limit.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';
import { addBot } from '../../fleet/bots/add-bot.ts';
import type { Bot, BotChanges } from '../../fleet/bots/bot.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import { openBot } from '../../fleet/bots/bot-row.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { changeBot } from '../../fleet/bots/change-bot.ts';
import { keepManagedToken, managedToken } from '../../fleet/bots/managed-token.ts';
import { nameKinds } from '../../fleet/bots/named-kinds.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { filledTemplate, HOST_LEFT_OPEN, leavesHostOpen, urlsOf } from '../../fleet/bots/template.ts';
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

/** Anybody may make bots for a parent; one person must not use up its places. */
const ADOPTED_AT_MOST = 1_000;
const ADOPTED_OF_ONE_PERSON = 20;
const SECRET_BYTES = 32;

/** No further try could end in another way. */
export class AdoptionRefused extends FlotillaError {
  constructor(message: string) {
    super('bad_request', message);
  }
}

/**
 * Registers a bot that a person made for its parent, by the parent's template, or stores its new token. May be repeated. A bot that was
 * deleted here since is registered again. Throws FlotillaError.
 */
export async function adoptBot(deps: BotDeps, parent: Bot, managed: ManagedBot): Promise<void> {
  const { made, ownerId } = managed;
  const ties = tiesOf(parent, ownerId);
  const bot = await findRegistered(deps, parent, made.id);
  if (bot === null) await requireRoom(deps.db, ties);
  const token = await managedToken(deps, parent, made.id);
  const by = parentAsActor(parent);
  if (bot === null) return register(deps, by, parent, { ...managed, token });
  const isOfParent = bot.parent_bot_id === parent.id;
  // Whoever stored it may not have come so far as to publish it.
  if (isOfParent && bot.token === token) await republishBots(deps, [bot.id]);
  // An update that is tried again may be older than the erasure of who made the bot.
  else await keepManagedToken(deps, by, { parent, bot, token }, isOfParent ? {} : ties, {});
}

/** Stores who has a bot of this parent now, as an update says that has just come: one that is tried again may be older than a change. */
export async function followOwner(deps: BotDeps, parent: Bot, { made, ownerId }: ManagedBot): Promise<void> {
  const bot = deps.directory
    .all()
    .find((one) => one.telegram_id === made.id && one.parent_bot_id === parent.id && isSameWorld(one, parent));
  if (bot === undefined || ownerId === null || bot.owner_user_id === ownerId) return;
  await changeBot(deps, parentAsActor(parent), bot.id, { owner_user_id: ownerId });
}

function parentAsActor({ id, username }: Bot): Actor {
  return { kind: 'parent', botId: id, username, address: null };
}

function isSameWorld(bot: Bot, parent: Bot): boolean {
  return bot.environment === parent.environment;
}

/**
 * The bot with this id at the platform, in the same environment: the test environment has ids of its own. The server of the parent
 * has no say about bots of another server, or of another parent.
 */
async function findRegistered(deps: BotDeps, parent: Bot, telegramId: number): Promise<Bot | null> {
  const rows = await botStore(deps.db).byTelegramId(telegramId);
  const bots = rows.map((row) => openBot(deps.secrets, row)).filter((bot) => isSameWorld(bot, parent));
  const own = bots.find((bot) => bot.parent_bot_id === parent.id);
  if (own !== undefined) return own;
  const [other] = bots;
  if (bots.some(({ upstream }) => upstream !== parent.upstream)) {
    throw new AdoptionRefused('It is registered already, at another server');
  }
  // A parent that was deleted manages nothing any more.
  if (bots.some((bot) => bot.parent_bot_id !== null && deps.directory.byId(bot.parent_bot_id) !== undefined)) {
    throw new AdoptionRefused('It is registered already, as a bot of another parent');
  }
  return other ?? null;
}

async function register(
  deps: BotDeps,
  by: Actor,
  parent: Bot,
  { token, made, ownerId }: ManagedBot & { token: string },
): Promise<void> {
  // A release before this one took such templates.
  if (urlsOf(parent.template).some(([, url]) => leavesHostOpen(url))) {
    throw new AdoptionRefused(`A URL of the template ${HOST_LEFT_OPEN}`);
  }
  const { programs = [], commands, ...settings } = filledTemplate(parent.template, made);
  const contents = programs.map(programContent).map(withSecret);
  for (const content of contents) checkProgram(deps, content, null);
  if (commands !== undefined) resultOf(await deps.platform.call(token, 'setMyCommands', { commands }, { at: parent }));
  const ties = tiesOf(parent, ownerId);
  const at = { upstream: parent.upstream, environment: parent.environment };
  const changes = withSecret(settings as BotChanges);
  const wanted = { ...changes, ...ties, ...at, token, source: 'cli' } as const;
  const bot = await addBot(deps, by, wanted, async (db, added) => {
    if (added.telegram_id !== made.id) throw new AdoptionRefused('The platform gave the token of another bot');
    await lockLimit(db, 'adopted bots', parent.id);
    await requireRoom(db, ties, added);
    await addPrograms({ ...deps, db }, by, added, contents);
  });
  const kinds = contents.flatMap((content) => content.kinds);
  if (kinds.length > 0) await nameKinds(deps, bot, kinds);
}

/** A backend with a secret of its own, since the URL of the template is the same for all bots, and their owners may guess it. */
function withSecret<Given extends { backend_url?: string }>(given: Given): Given & { secret_token: string } {
  return { ...given, secret_token: given.backend_url ? randomBytes(SECRET_BYTES).toString('base64url') : '' };
}

type Ties = Pick<Bot, 'parent_bot_id' | 'owner_user_id'>;

function tiesOf({ id }: Bot, ownerId: number | null): Ties {
  return { parent_bot_id: id, owner_user_id: ownerId };
}

/** `added`: in the transaction that adds it, as two updates about one bot may be handled at once. */
async function requireRoom(db: BotDeps['db'], { parent_bot_id, owner_user_id }: Ties, added?: Bot): Promise<void> {
  const { rows } = await sql<{ telegram_id: number; owner_user_id: number | null }>`
    select telegram_id, owner_user_id from bots
    where parent_bot_id = ${parent_bot_id} and id <> ${added?.id ?? 0}`.execute(db);
  if (rows.some(({ telegram_id }) => telegram_id === added?.telegram_id)) {
    throw new FlotillaError('conflict', 'This bot is registered already');
  }
  if (rows.length >= ADOPTED_AT_MOST) throw new AdoptionRefused(`A bot adopts at most ${ADOPTED_AT_MOST} bots`);
  const ofOwner = rows.filter((row) => row.owner_user_id === owner_user_id);
  if (ofOwner.length >= ADOPTED_OF_ONE_PERSON) {
    throw new AdoptionRefused(`A bot adopts at most ${ADOPTED_OF_ONE_PERSON} bots of one person`);
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
