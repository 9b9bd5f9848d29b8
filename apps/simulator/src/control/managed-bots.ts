import { z } from 'zod';
import { createManagedBot as make, readCreationLink } from '../bots/managed-bot.ts';
import type { Simulator } from '../simulator.ts';
import { type ShownBot, show } from './bots.ts';
import { ControlError } from './control-error.ts';
import { BOT, PERSON } from './fields.ts';
import { botOf, personOf } from './lookups.ts';
import { operation } from './operation.ts';

export const createManagedBot = operation(
  'A person makes a bot that another bot manages, by a link or without one; answers its id and token',
  {
    input: z.strictObject({
      person: PERSON,
      bot: BOT.optional().describe('id of the bot that manages it; a link names it'),
      link: z.string().optional().describe('https://t.me/newbot/<username of the manager>/<username>?name=<name>'),
      name: z.string().optional().describe('that of the link, or "Bot <id>", when not given'),
      username: z.string().optional().describe('without the @; that of the link, or "bot<id>_bot", when not given'),
    }),
    example: { person: 424_242, bot: 1_000_000_001, name: 'Helper' },
  },
  (sim, { person, bot, link, ...given }): ShownBot => {
    const offered = link === undefined ? null : readCreationLink(link);
    if (link !== undefined && offered === null) throw new ControlError('this is no link that makes a managed bot');
    const manager = offered === null ? botOf(sim, bot ?? 0) : botOf(sim, idOfUsername(sim, offered.manager));
    const { name = offered?.name, username = offered?.username } = given;
    const made = make(sim, personOf(sim, person), manager, { name, username });
    if ('refusal' in made) throw new ControlError(made.refusal);
    return show(made);
  },
);

function idOfUsername(sim: Simulator, username: string): number {
  const isNamed = (name: string) => name.toLowerCase() === username.toLowerCase();
  return [...sim.bots.values()].find(({ user }) => isNamed(user.username))?.user.id ?? 0;
}
