import { type MethodFamily, methodFacts } from '@flotilla/contract/bot-api/methods.ts';

/**
 * The family of a method; null for methods whose 429 says nothing about other calls. Unknown `send…` methods count as sends.
 *
 * - null: the server exempts them from its limit of a bot (Client.cpp:399); setWebhook and close have limits of their own.
 * - `send`: the documented limits are those of messages in a chat; a new topic is a message, too (tdlib/td#2592).
 * - `edit`: edits count towards the same limit as sends (tdlib/td#3034), but each refusal names a wait of its own. A family of its
 *   own costs one refused edit where the chat takes neither, and holds none that would pass.
 * - `chat_action`: they leave no message, so the limits of messages do not name them, and a bot can do without them while they rest.
 * - `other`: they are limited much later than messages, and not because of them (tdlib/telegram-bot-api#648).
 */
export function familyOf(lowerCaseMethod: string): MethodFamily | null {
  const facts = methodFacts(lowerCaseMethod);
  return facts === undefined ? familyByName(lowerCaseMethod) : facts.family === undefined ? 'other' : facts.family;
}

function familyByName(lowerCaseMethod: string): MethodFamily {
  if (/^(send|forward|copy)/.test(lowerCaseMethod)) return 'send';
  return /^edit(ephemeral)?message/.test(lowerCaseMethod) ? 'edit' : 'other';
}
