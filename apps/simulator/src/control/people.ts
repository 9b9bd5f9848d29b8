import { z } from 'zod';
import type { User } from '../chats/user.ts';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';
import { operation } from './operation.ts';

const NEW_PERSON = z.strictObject({
  id: z.int().min(1).optional().describe('chosen when not given; of somebody who is there: changes their name'),
  firstName: z.string().optional().describe('"Person <id>" when not given'),
  lastName: z.string().optional().describe('none when not given'),
  username: z.string().optional().describe('without the @; none when not given'),
  languageCode: z.string().optional().describe('"en" when not given'),
});

export function addPerson(sim: Simulator, input: z.input<typeof NEW_PERSON>): User {
  const id = input.id ?? sim.nextPersonId;
  if (sim.bots.has(id)) throw new ControlError(`${id} is a bot`);
  if (input.id === undefined) {
    sim.nextPersonId += 1;
    sim.storage.saveCounters();
  }
  const person: User = {
    id,
    is_bot: false,
    first_name: input.firstName ?? `Person ${id}`,
    ...(input.lastName !== undefined && { last_name: input.lastName }),
    ...(input.username !== undefined && { username: input.username }),
    language_code: input.languageCode ?? 'en',
  };
  // The person's chats refer to this same object, so they show the new name too.
  const kept = renamed(sim.people.get(id), person);
  sim.people.set(id, kept);
  sim.storage.savePerson(kept);
  return kept;
}

function renamed(known: User | undefined, person: User): User {
  if (known === undefined) return person;
  delete known.last_name;
  delete known.username;
  return Object.assign(known, person);
}

export const createPerson = operation(
  'Makes a person; answers them with their id',
  { input: NEW_PERSON, example: { firstName: 'Ada', username: 'ada' } },
  addPerson,
);

export const listPeople = operation(
  'Lists people, those made first at the front',
  {
    input: z.strictObject({ limit: z.int().min(0).optional().describe('how many; 100 when not given') }),
    example: { limit: 10 },
  },
  (sim, { limit = 100 }): User[] => [...sim.people.values()].slice(0, limit),
);
