import type { User } from '../chats/user.ts';
import type { Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { mayManageBots } from './bot-settings.ts';
import { createBot, newSecret } from './create-bot.ts';
import { keepSetting } from './keep-setting.ts';
import type { SimBot } from './sim-bot.ts';

const OWNER = 'owner';
/** `t.me/newbot/<manager>/<username>?name=<name>` (https://core.telegram.org/api/links#managed-bot-links). */
const LINK = /^https:\/\/t\.me\/newbot\/(\w+)\/(\w+)(?:\?name=([^&]*))?$/;
const USERNAME = /^[a-z]\w{1,28}bot$/i;

export type CreationLink = { manager: string; username: string; name: string | undefined };

/** null: it is no such link. */
export function readCreationLink(link: string): CreationLink | null {
  const [, manager, username, name] = LINK.exec(link) ?? [];
  if (manager === undefined || username === undefined) return null;
  const words = name === undefined ? undefined : decodeURIComponent(name.replaceAll('+', ' '));
  return { manager, username, name: words };
}

/** A bot of a person that another bot manages; null with the platform's word where it is not made (bots.createBot). */
export function createManagedBot(
  sim: Simulator,
  owner: User,
  manager: SimBot,
  { name, username }: { name?: string | undefined; username?: string | undefined },
): SimBot | { refusal: string } {
  if (!mayManageBots(manager)) return { refusal: 'MANAGER_PERMISSION_MISSING' };
  if (username !== undefined && !USERNAME.test(username)) return { refusal: 'USERNAME_INVALID' };
  const isTaken = ({ user }: SimBot) => user.username.toLowerCase() === username?.toLowerCase();
  if ([...sim.bots.values()].some(isTaken)) return { refusal: 'USERNAME_OCCUPIED' };
  const made = createBot(sim, { name, username, test: manager.isTest });
  made.managedBy = manager.user.id;
  keepSetting(sim, made, OWNER, owner);
  tellManager(sim, made);
  return made;
}

/** Gives a bot a new token: the old one answers 401, and the bot that manages it is told. */
export function replaceToken(sim: Simulator, bot: SimBot): string {
  bot.token = `${bot.user.id}:${newSecret()}`;
  sim.storage.saveBot(bot);
  tellManager(sim, bot);
  return bot.token;
}

/** Of a new bot, and of one whose token has changed. */
function tellManager(sim: Simulator, bot: SimBot): void {
  const manager = sim.bots.get(bot.managedBy);
  if (manager !== undefined) publishUpdate(sim, manager, 'managed_bot', { user: bot.settings[OWNER], bot: bot.user });
}
