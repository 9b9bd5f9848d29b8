import type { Operation } from '../operation.ts';

/** The document's chapters, by the first word of their paths behind /api/. */
const CHAPTERS: Readonly<Record<string, { name: string; description: string }>> = {
  auth: { name: 'Sign-in', description: 'Sessions, passwords, API keys and accounts.' },
  bots: { name: 'Bots', description: 'The bots of the fleet, and whether they run.' },
  chats: { name: 'Chats', description: 'The chats a bot was seen in.' },
  messages: { name: 'Messages', description: 'The history of a chat, and sending into it.' },
  files: { name: 'Files', description: 'What messages carry: pictures, sound, video, documents.' },
  users: { name: 'Users', description: 'Who wrote in a chat; banning and unbanning.' },
  admins: { name: 'Admins', description: "A chat's administrators, as the platform says now." },
  tags: { name: 'Tags', description: 'Notes on the users of a chat.' },
  routes: { name: 'Routes', description: 'Rules by which messages go from one bot to another.' },
  adminlog: { name: 'Audit', description: 'Who did what, in chats and to the fleet.' },
  stats: { name: 'Statistics', description: 'Figures of a chat.' },
  updates: { name: 'Updates', description: "A bot's updates, for those who poll." },
  deliveries: {
    name: 'Deliveries',
    description:
      "Updates on their way to a bot's backend, or by rules to other chats. A failed one is sent again at once, then after " +
      '2, 4, 8 … s and finally every 60 to 120 s, or when `Retry-After` says; a backend that failed for 10 s gets one ' +
      'probe every 2 to 60 s. An update is given up when its time is over: an inline query after 30 s, a callback, ' +
      'shipping or pre-checkout query after 150 s, a chosen inline result after 10 min, everything else after 24 h ' +
      '(a message counted from its date, and never less than an hour from its arrival). Then it is a dead letter, ' +
      'which `POST /api/deliveries/redrive` sends again.',
  },
};

/** Throws for a path of no chapter: a new one is entered above. */
export function tagOf(operation: Operation): string {
  const [, , chapter = ''] = operation.paths[0].split('/');
  const tag = CHAPTERS[chapter];
  if (tag === undefined)
    throw new Error(`${operation.paths[0]} has no chapter in the API document; add one in tags.ts`);
  return tag.name;
}

/** The chapters in their order, those in use only. */
export function tagsOf(operations: readonly Operation[]): { name: string; description: string }[] {
  const used = new Set(operations.map(tagOf));
  return Object.values(CHAPTERS).filter(({ name }) => used.has(name));
}
