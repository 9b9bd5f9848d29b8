import { z } from 'zod';

/** The ids that operations accept; every operation uses the same names. */
export const PERSON = z.int().describe('id of the person who does it');
export const BOT = z.int().describe('id of a bot');
export const CHAT = z.int().describe('id of a group, supergroup or channel');
export const MESSAGE_ID = z.int().describe('id of a message in that chat');
export const RIGHTS = z.record(z.string(), z.boolean());

const WHERE = {
  bot: BOT.optional().describe('id of a bot: in the private chat with it'),
  chat: CHAT.optional().describe('id of a group, supergroup or channel: in that chat'),
};

/** The fields of an action by a person, in the private chat with `bot` or in `chat`. */
export function inChat<Shape extends z.core.$ZodLooseShape>(fields: Shape) {
  return oneOf(z.strictObject({ person: PERSON, ...WHERE, ...fields }), 'bot', 'chat');
}

/** Adds the rule that exactly one of two fields is given; the rule also runs when other fields are invalid. */
export function oneOf<Input extends z.ZodObject>(input: Input, one: string, other: string): Input {
  const given = (value: Record<string, unknown>) => [one, other].filter((name) => value[name] !== undefined).length;
  return input
    .refine((value) => given(value) !== 0, { error: `${one} or ${other} is missing`, when: isObject })
    .refine((value) => given(value) !== 2, { error: `either ${one} or ${other} is meant`, when: isObject });
}

/** Adds the rule that at least one of these fields is given; the rule also runs when other fields are invalid. */
export function anyOf<Input extends z.ZodObject>(input: Input, ...names: string[]): Input {
  const error = `${names.slice(0, -1).join(', ')} or ${names.at(-1)} is missing`;
  return input.refine((value) => names.some((name) => value[name] !== undefined), { error, when: isObject });
}

function isObject({ value }: { value: unknown }): boolean {
  return typeof value === 'object' && value !== null;
}
