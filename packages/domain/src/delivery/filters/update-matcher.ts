import { setImmediate } from 'node:timers/promises';
import { type Fields, readObject } from '@flotilla/telegram/platform-fields.ts';
import { isDefaultKind, NEW_MESSAGE_KINDS } from '@flotilla/telegram/update-kinds.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import {
  type FilterConfig,
  type FilteringProgram,
  type FilterText,
  filterConfigOf,
} from '../../fleet/bots/filter-config.ts';
import { compileFilter, type FoldedFacts, withFoldedText } from './compile-filter.ts';
import { filterFacts } from './filter-facts.ts';
import { readPress } from './question-press.ts';

/** An update with its kind, as intake knows it. */
export type MatchInput = { kind: string; value: Fields };

/**
 * Who gets an update, as its entry in the log says it (scripts/lib/log.lua): '' everybody, `=4` program 4 alone, `=0` nobody,
 * `,4,7,` all but these programs. After a space follows its album, if it is in one.
 */
export type Mark = string;

export type UpdateMatcher = {
  digest: string;
  /** The programs for which it matters which chats are bound to them. */
  binding: readonly number[];
  /**
   * One mark for each update. `bound`: for each, the programs to which its chat is bound; null: none of them. Lets other work in between,
   * because hostile texts make this slow.
   */
  marks(updates: MatchInput[], bound: readonly ReadonlySet<number>[] | null): Promise<Mark[]>;
};

/** Of an answer to a question, which the rules turn takes. */
const FOR_NOBODY: Mark = '=0';

const NOT_BOUND: ReadonlySet<number> = new Set();
const HELD_MS = 20;
const matchers = new WeakMap<Bot, UpdateMatcher>();

/** The matcher for the configuration that this process knows; null while every reader gets everything. */
export function matcherOf(bot: Bot): UpdateMatcher | null {
  const known = matchers.get(bot);
  if (known !== undefined) return known;
  const config = filterConfigOf(bot);
  return config.text === '' ? null : learnMatcher(bot, config);
}

/** The matcher for the configuration in force in Redis, if this process knows another one; null if that is empty. */
export function matcherInForce(bot: Bot, { text, digest }: FilterConfig): UpdateMatcher | null {
  return text === '' ? null : learnMatcher(bot, { text, digest });
}

function learnMatcher(bot: Bot, config: FilterConfig): UpdateMatcher {
  const matcher = createMatcher(config);
  matchers.set(bot, matcher);
  return matcher;
}

type CompiledProgram = { id: number; takes: boolean; wants(kind: string, facts: FoldedFacts): boolean };

export function createMatcher({ text, digest }: FilterConfig): UpdateMatcher {
  const { username, asks, programs } = JSON.parse(text) as FilterText;
  const compiled = programs.map((program) => compileProgram(program, username));
  return {
    digest,
    binding: programs.flatMap(({ id, bound }) => (bound === undefined ? [] : [id])),
    marks: async (updates, bound) => {
      const whole = updates.map(({ kind, value }, at) => ({
        kind,
        isAnswer: asks && readPress(kind, value) !== null,
        album: albumOf(kind, value),
        facts: withFoldedText(filterFacts(value, kind), bound?.[at] ?? NOT_BOUND),
      }));
      const marks: Mark[] = [];
      const ofAlbums = new Map<string, Mark>();
      const pause = pauses();
      for (const { kind, isAnswer, album, facts } of whole) {
        if (isAnswer) {
          marks.push(FOR_NOBODY);
          continue;
        }
        // An album is matched as far as it is here; what comes later follows its first message (accept-updates.lua).
        const members = album === '' ? [facts] : whole.flatMap((one) => (one.album === album ? [one.facts] : []));
        const mark = ofAlbums.get(album) ?? (await markOf(compiled, kind, members, pause));
        if (album !== '') ofAlbums.set(album, mark);
        marks.push(album === '' ? mark : `${mark} ${album}`);
      }
      return marks;
    },
  };
}

type Pause = { isDue(): boolean; take(): Promise<void> };

/** A hostile text can take a millisecond of every program. */
function pauses(): Pause {
  let heldFromMs = performance.now();
  return {
    isDue: () => performance.now() - heldFromMs >= HELD_MS,
    take: async () => {
      await setImmediate();
      heldFromMs = performance.now();
    },
  };
}

function compileProgram({ id, kinds, filter, exclusive }: FilteringProgram, username: string): CompiledProgram {
  const holds = compileFilter(filter, username, id);
  const wantsKind = (kind: string) => (kinds.length === 0 ? isDefaultKind(kind) : kinds.includes(kind));
  // Kinds that a program does not want need no mark: readers leave them out.
  return { id, takes: exclusive, wants: (kind, facts) => (exclusive ? wantsKind(kind) : true) && holds(facts) };
}

async function markOf(programs: CompiledProgram[], kind: string, members: FoldedFacts[], pause: Pause): Promise<Mark> {
  const unwanted: number[] = [];
  for (const { id, takes, wants } of programs) {
    if (pause.isDue()) await pause.take();
    const wanted = members.some((facts) => wants(kind, facts));
    if (takes && wanted) return `=${id}`;
    if (!wanted) unwanted.push(id);
  }
  return unwanted.length === 0 ? '' : `,${unwanted.join(',')},`;
}

/** '' for an update that is in none. */
function albumOf(kind: string, value: Fields): string {
  if (!NEW_MESSAGE_KINDS.includes(kind)) return '';
  const group = readObject(value, kind)?.media_group_id;
  const name = typeof group === 'string' || typeof group === 'number' ? String(group) : '';
  return /^[\w-]{1,64}$/.test(name) ? name : '';
}
