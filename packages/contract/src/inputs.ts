import { z } from 'zod';

/** The reason given for a missing input. */
const IS_REQUIRED = 'is required';

const DECIMAL = /^-?\d{1,20}$/;

/** Turns decimal strings into numbers; one that would be rounded stays a string and is refused. */
function readInteger(value: unknown): unknown {
  if (typeof value !== 'string' || !DECIMAL.test(value)) return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number + 0 : value;
}

const EXACT = Number.MAX_SAFE_INTEGER;

/** An integer as JSON number or decimal string; beyond 2^53-1 it is refused, never rounded. */
export function integer({ min = -EXACT, max = EXACT }: { min?: number; max?: number } = {}) {
  return z.preprocess(readInteger, integerWithin({ min, max, reason: rangeReason(min, max) }));
}

/** An integer that is lowered to `max` if it is larger, and not refused. */
export function loweredInteger({ min, max }: { min: number; max: number }) {
  return z
    .preprocess(readInteger, integerWithin({ min, max: EXACT, reason: rangeReason(min, max) }))
    .overwrite((value) => Math.min(value, max))
    .meta({ maximum: max, [ABOVE_MAXIMUM]: 'lowered' });
}

function integerWithin({ min, max, reason }: { min: number; max: number; reason: string }) {
  const error = ({ input }: { input?: unknown }) => (input === undefined ? IS_REQUIRED : reason);
  let schema = z.int({ error });
  if (min > -EXACT) schema = schema.min(min, { error });
  if (max < EXACT) schema = schema.max(max, { error });
  return schema;
}

/** Names the whole range, so that the caller knows both bounds after one try. */
function rangeReason(min: number, max: number): string {
  return `must be an integer from ${shownBound(min)} to ${shownBound(max)}`;
}

function shownBound(bound: number): string {
  if (Math.abs(bound) < EXACT) return String(bound);
  return bound < 0 ? '-(2^53-1)' : '2^53-1';
}

/** In a schema of the API document: what happens to a number above `maximum`. */
const ABOVE_MAXIMUM = 'x-above-maximum';

const anyOwnId = () => integer({ min: 1 });

/** One of our own ids: 1 and up. */
export const ownId = () => anyOwnId().describe('The id in Flotilla.');

/** A list of our own ids. */
export const ownIds = (max: number) => listOf(anyOwnId(), max);

/** The bot of a call. */
export const botId = () => anyOwnId().describe('The id of the bot in Flotilla.');

/** The bot of a list that is over all bots of the caller without it. */
export const anyBotId = () =>
  anyOwnId().describe('The id of the bot in Flotilla. Without it: all bots that the caller sees.').optional();

/** The bot of a call; it may be left out if the chat identifies the bot. */
export const botIdOfChat = () =>
  anyOwnId()
    .describe(
      'The id of the bot in Flotilla. It may be left out if exactly one bot that the caller sees tracks the chat.',
    )
    .optional();

/** The business connection through which a bot acts. */
export const businessConnectionId = () =>
  text({ max: 256 })
    .regex(/^\S*$/, 'must be the id of a business connection, or empty for the chat of the bot itself')
    .describe(
      'The business connection of the conversation; empty: the chat of the bot itself. Without it, the only conversation of the chat; if there are several, the call is refused with `ambiguous_conversation`.',
    );

/** An id of the platform; chats have negative ones. */
export const platformId = () => integer();

const CHAT_NAME = /^@[A-Za-z]\w{3,31}$/;
const NO_CHAT = 'must be the id of a chat, an integer within ±(2^53-1), or its @username';

/** A chat by its id, or by its public name: @name. */
export const chatId = () =>
  z
    .preprocess(
      readInteger,
      z.union([z.int(), z.string().regex(CHAT_NAME, NO_CHAT)], {
        error: ({ input }) => (input === undefined ? IS_REQUIRED : NO_CHAT),
      }),
    )
    .describe("The platform's id of the chat (negative for groups and channels), or its public name: `@name`.");

/** A topic of a chat, by the id that messages name it with. 0: outside every topic. */
export const threadId = () => integer({ min: 0, max: LONGEST_THREAD_ID });

/** The platform's ids of messages have 31 bits, and a topic has that of the message that made it. */
const LONGEST_THREAD_ID = 2 ** 31 - 1;

const userId = (id: ReturnType<typeof integer>) => id.describe("The platform's id of the user.");

/** A user or a channel that writes in a chat. */
export const authorId = () => userId(platformId());

/** The inputs of a call about one user of a chat. */
export const userOfChat = () => ({ bot_id: botId(), chat_id: chatId(), user_id: userId(integer({ min: 1 })) });

const SWITCHES = new Map<unknown, boolean>([
  [1, true],
  ['1', true],
  ['true', true],
  [0, false],
  ['0', false],
  ['false', false],
]);

/** A boolean; a query string writes true, false, 1 or 0. */
export const flag = () => z.preprocess((value) => SWITCHES.get(value) ?? value, z.boolean());

/** True of text that Postgres can keep: no NUL character, no half of a surrogate pair. */
export const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes('\0');

/** Text that Postgres can keep. Lengths are in UTF-16 units. */
export function text(range: { min?: number; max: number }) {
  return z
    .string()
    .min(range.min ?? 0)
    .max(range.max)
    .refine(isStorable, 'must not contain a NUL character or half of a surrogate pair');
}

/** A list, which a query string may carry as JSON text, comma-separated, or as a repeated parameter. */
export function listOf<Item extends z.ZodType>(item: Item, max: number) {
  return z.preprocess(readList, z.array(item).max(max));
}

function readList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (!value.startsWith('[')) return value === '' ? [] : value.split(',');
  return readJson(value);
}

/** An object that has no other fields than these. */
export function strictInput<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `has no ${issue.keys.join(', ')}` : undefined),
  });
}

/** The same as an input of its own, which a form or a query string carries as JSON text. */
export function jsonObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(readJson, strictInput(shape));
}

/** True if it has an integer that may have been another one in the JSON text. */
export function hasRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRounded);
}

/** An object of the platform's, with whatever fields it has. */
export function platformObject(isRight: (object: Record<string, unknown>) => boolean, reason: string) {
  const object = z
    .record(z.string(), z.unknown())
    .refine((value) => isWithin(value, DEEPEST) && isRight(value), { error: reason, abort: true })
    .refine((value) => !hasRounded(value), 'has a number beyond 2^53-1, which would be rounded');
  return z.preprocess(readJson, object);
}

/** Checks a value of a JSON body; text in a form or a query string is not checked before. */
const DEEPEST = 32;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isWithin(part, levels - 1));
}

function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A value or null, which a query string writes as `null`. */
export function nullable<Value extends z.ZodType>(value: Value) {
  return z.preprocess((given) => (given === 'null' ? null : given), value.nullable());
}

/** ISO 8601 with a zone. */
export const instant = () =>
  z.iso.datetime({
    offset: true,
    error: ({ input }) => (input === undefined ? IS_REQUIRED : 'must be a time such as 2030-12-31T23:59:59Z'),
  });

const NO_MOMENT = 'must be Unix seconds, or ISO 8601 with a zone';
const END_OF_9999_S = 253_402_300_799;

/** A moment as Unix seconds or as ISO 8601 with a zone; read as Unix seconds. */
export const moment = () =>
  z
    .union([integer({ min: 0, max: END_OF_9999_S }), z.iso.datetime({ offset: true, error: NO_MOMENT })], {
      error: NO_MOMENT,
    })
    .transform((value) => (typeof value === 'number' ? value : Math.ceil(Date.parse(value) / 1000)));

/** No answer is longer: what is beyond is behind the `Link` header. */
const LONGEST_LIST = 10_000;

/** `limit` above the maximum is lowered to it; below 1 or not a number is refused. */
export function limitInput({ default: normal = LONGEST_LIST, max = LONGEST_LIST }: PageSize) {
  return loweredInteger({ min: 1, max })
    .default(normal)
    .describe(`The largest number of rows in the answer. More than ${max} is lowered to ${max}.`);
}

type PageSize = { default?: number; max?: number };

/** A list that has no offset goes on by this alone. */
export const beforeInput = () =>
  // A cursor may have the name of a bot, in which each of 128 characters can take six bytes of JSON.
  text({ min: 1, max: 1200 }).optional().describe('The cursor from a `Link` header. The answer has the rows after it.');

const paging = {
  offset: integer({ min: 0 }).default(0).describe('The number of rows to skip at the beginning.'),
  before: beforeInput(),
};

/** The inputs by which a list is paged; one without a page size of its own answers the longest list there is. */
export const pagedInputs = (size: PageSize = {}) => ({ limit: limitInput(size), ...paging });
