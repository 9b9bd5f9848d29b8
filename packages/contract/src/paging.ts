import { integer, loweredInteger, text } from './input-types.ts';

/** `limit` above the maximum is lowered to it; below 1 or not a number is refused. */
export function limitInput(range: { default: number; max?: number }) {
  const { max } = range;
  if (max === undefined) return integer({ min: 1 }).default(range.default).describe('How many at most.');
  return loweredInteger({ min: 1, max })
    .default(range.default)
    .describe(`How many at most; more than ${max} is lowered to ${max}.`);
}

const paging = {
  offset: integer({ min: 0 }).default(0).describe('How many to leave out at the beginning.'),
  before: text({ min: 1, max: 300 }).optional().describe('The cursor of a Link header: rows after that place.'),
};

/** The paging inputs of a list with a page size of its own. */
export const pagedInputs = (range: { default: number; max?: number }) => ({ limit: limitInput(range), ...paging });

/** The paging inputs of a list that gives all rows where no limit is named. */
export const unpagedInputs = () => ({
  limit: integer({ min: 1 }).optional().describe('How many at most; all when left out.'),
  ...paging,
});
