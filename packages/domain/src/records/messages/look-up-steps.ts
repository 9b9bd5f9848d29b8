import { periodSeconds, type SearchQuery, tsqueryFor } from '@flotilla/database/search-query.ts';
import type { SearchScope } from './search-scope.ts';

/** One look into the index: for messages with `fromS <= date < untilS`, of these bots where the scope has bots. */
export interface LookUp {
  /** Those of one step are sorted together. */
  step: number;
  /** The tsquery that the index is asked, and (`also`) what its messages must have besides. */
  wanted: string;
  also: string | null;
  bots: readonly number[] | null;
  fromS: number;
  untilS: number;
}

/** A tsquery with more alternatives takes longer to prepare than several do. */
const MOST_ALTERNATIVES = 64;
const FIRST_PERIODS = 2;
const MOST_PERIODS = 32;

/** `periods` are of this many seconds, and may have several of the scope's lexemes. */
export const LISTED_PERIOD_BITS = 20;

/**
 * The steps by which words are looked up, from the newest period on. Each has twice as many periods as the one before: a page of a
 * frequent word needs few of them, and a rare word needs few looks. With `lastIsBroad` only the words before the last are looked up.
 */
export function lookUpSteps(
  scope: SearchScope,
  query: SearchQuery,
  periods: readonly number[],
  lastIsBroad: boolean,
): LookUp[] {
  const { all, last, others } = query.wide ?? query;
  const groups = scope !== 'fleet' && 'botIds' in scope ? chunksOf(scope.botIds, MOST_ALTERNATIVES) : [null];
  const most = Math.max(1, Math.min(MOST_PERIODS, Math.floor(MOST_ALTERNATIVES / (groups[0]?.length ?? 1))));
  const spans = spansOf(scope, periods);
  const steps: LookUp[] = [];
  let size = FIRST_PERIODS;
  for (let at = 0, step = 0; at < spans.length; step += 1) {
    size = Math.min(size, most);
    const some = spans.slice(at, at + size);
    const [fromS, untilS] = [some.at(-1)!.fromS, some[0]!.untilS];
    for (const bots of groups) {
      const lexemes = bots === null ? scope : { botIds: bots };
      const tsquery = (template: string) =>
        some.map((span) => tsqueryFor(lexemes, span.fromS, span.untilS, template)).join(' | ');
      const wanted = tsquery(lastIsBroad ? (others ?? all) : all);
      steps.push({ step, wanted, also: lastIsBroad ? tsquery(last) : null, bots, fromS, untilS });
    }
    at += size;
    size = 2 * size;
  }
  return steps;
}

/** The scope's own periods within the listed ones, the newest first. */
function spansOf(scope: SearchScope, periods: readonly number[]): { fromS: number; untilS: number }[] {
  const listedS = 2 ** LISTED_PERIOD_BITS;
  const length = Math.min(periodSeconds(scope), listedS);
  const inEach = Array.from({ length: listedS / length }, (_, at) => at).reverse();
  return periods.flatMap((period) =>
    inEach.map((at) => {
      const fromS = period * listedS + at * length;
      return { fromS, untilS: fromS + length };
    }),
  );
}

function chunksOf(ids: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
}
