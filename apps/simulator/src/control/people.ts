import type { User } from '../chats/user.ts';
import type { Simulator } from '../simulator.ts';

export type NewPerson = {
  id?: number;
  firstName?: string;
  lastName?: string;
  username?: string;
  languageCode?: string;
};

export function createPerson(sim: Simulator, input: NewPerson): User {
  const id = input.id ?? sim.nextPersonId;
  if (input.id === undefined) sim.nextPersonId += 1;
  const person: User = {
    id,
    is_bot: false,
    first_name: input.firstName ?? `Person ${id}`,
    ...(input.lastName !== undefined && { last_name: input.lastName }),
    ...(input.username !== undefined && { username: input.username }),
    language_code: input.languageCode ?? 'en',
  };
  sim.people.set(id, person);
  return person;
}
