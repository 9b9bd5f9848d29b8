import { z } from 'zod';

/** Fields that mean the same in every resource. */

export const ownIdField = z.int().describe('The id in Flotilla. It is never used again.');
export const botIdField = z.int().describe('The id of the bot in Flotilla.');
export const chatIdField = z.int().describe("The platform's id of the chat.");
export const businessConnectionField = z
  .string()
  .describe('The business connection of the conversation. Absent: none, or the chat of the bot itself.');
export const requestIdField = z
  .string()
  .describe('The `X-Request-Id` of the request that led to it, which is in the log, too. Absent: none did.');
export const userIdField = z.int().describe("The platform's id of the user.");
export const updateIdField = z
  .int()
  .describe('The id under which Flotilla delivers the update. It can differ from the id at the platform.');
export const usernameField = z.string().describe('The username, without @.');
export const isBotField = z.boolean().describe('True if it is a bot.');
export const enabledField = z.boolean().describe('True if it is in use.');
export const messageCountField = z.int().describe('The number of messages.');
export const createdAtField = z.iso.datetime().describe('When it was created.');
export const okField = z.literal(true).describe('Always true.');

/** The names of a user at the platform. */
export const nameFields = {
  username: usernameField.optional(),
  first_name: z.string().describe('The first name.').optional(),
  last_name: z.string().describe('The last name.').optional(),
};

/** The answer of an operation that only acts. */
export const okAnswer = z.strictObject({ ok: okField }).meta({ id: 'Ok' });

/** The value of that answer. */
export const OK = { ok: true } as const;
