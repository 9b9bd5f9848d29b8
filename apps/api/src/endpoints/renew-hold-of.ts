import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { type Actor, isOfPerson } from '@flotilla/domain/people/audit/actor.ts';
import { type InChat, renewHold } from '@flotilla/domain/records/takeover/held-chats.ts';
import type { Context } from '../context.ts';

/**
 * After a person has written in a chat: it stays taken over, if it is. `saysSo`: the key did that answers for people. Never throws: the
 * message is sent, even if nobody can say that the chat stays so.
 */
export async function renewHoldOf(context: Context, bot: Bot, by: Actor, answered: InChat, saysSo = false) {
  if (!saysSo && !isOfPerson(by)) return;
  await renewHold(context, bot, answered).catch((error: unknown) => {
    context.log.warn({ bot: bot.id, reason: String(error) }, 'the hold of a chat could not be renewed');
  });
}
