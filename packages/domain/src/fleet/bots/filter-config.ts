import { sha256Hex } from '@flotilla/runtime/digest.ts';
import type { ActiveProgram } from './active-program.ts';
import type { Bot } from './bot.ts';

/** A program whose filter, or whose exclusiveness, decides who gets an update. */
export type FilteringProgram = Pick<ActiveProgram, 'id' | 'kinds' | 'filter' | 'exclusive'> & {
  /** The revision of the chats that are bound to it; absent where they change nothing. */
  bound?: number;
};

/** The choice of who gets an update, as the bot's state in Redis has it. Both are '' when every reader gets all. */
export type FilterConfig = {
  /** JSON of a FilterText. */
  text: string;
  /** Identifies the text: whoever judges an update must know the one that is in force. */
  digest: string;
};

/** The exclusive programs come first, in the order in which they take updates. `asks`: presses of buttons of questions are taken. */
export type FilterText = { username: string; asks: boolean; programs: FilteringProgram[] };

const NONE: FilterConfig = { text: '', digest: '' };
const DIGEST_LENGTH = 16;
const configs = new WeakMap<Bot, FilterConfig>();

/** A changed bot is a new object, so a kept text is never out of date. */
export function filterConfigOf(bot: Bot): FilterConfig {
  if (bot.programs.length === 0 && !takesAnswers(bot)) return NONE;
  const known = configs.get(bot);
  if (known !== undefined) return known;
  const config = makeConfig(bot);
  configs.set(bot, config);
  return config;
}

/** A bot that is not managed has no rules turn, so nobody would take the presses that are kept from its readers. */
function takesAnswers({ asks, manage_enabled }: Bot): boolean {
  return asks && manage_enabled;
}

function makeConfig(bot: Bot): FilterConfig {
  const { username, programs: all } = bot;
  const asks = takesAnswers(bot);
  const exclusive = all.filter((program) => program.exclusive);
  const first = exclusive.toSorted((left, right) => left.order - right.order || left.id - right.id);
  const others = all.filter((program) => !program.exclusive && Object.keys(program.filter).length > 0);
  if (first.length + others.length === 0 && !asks) return NONE;
  const programs = [...first, ...others].map(({ id, kinds, filter, exclusive, ...program }) => ({
    ...{ id, kinds, filter, exclusive },
    ...boundTo({ filter, ...program }),
  }));
  const text = JSON.stringify({ username, asks, programs } satisfies FilterText);
  return { text, digest: sha256Hex(text).slice(0, DIGEST_LENGTH) };
}

/** Every process must judge by the newest bound chats, so they are part of the text. A program of all chats needs none. */
function boundTo({ filter, chats_revision: revision }: Pick<ActiveProgram, 'filter' | 'chats_revision'>) {
  const isLimited = filter.chat_ids !== undefined || filter.bound_only === true;
  return isLimited && revision > 0 ? { bound: revision } : {};
}
