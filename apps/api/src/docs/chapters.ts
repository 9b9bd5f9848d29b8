import type { Operation } from '@flotilla/contract/operation.ts';

/** The introduction of the document: it holds for every operation. */
export const INTRODUCTION = `
Register bots, read and moderate their chats, and receive their updates.

**Credentials.** Send \`Authorization: Bearer <API key>\`, or sign in with \`POST /api/auth/login\` and keep the cookie. If
a call has both, only the Bearer header counts.

**Roles.** The role \`admin\` may do everything. The role \`user\` sees only its own bots, and may make the calls that are
not marked **Admin only**. API keys of admins get tokens and secrets whole. Sessions and users get them masked. A masked
value that is sent back changes nothing.

**Inputs.** GET takes its inputs from the query string. POST takes them from a JSON body, from
\`application/x-www-form-urlencoded\`, or from the query string. If a name is in both, the body counts. An integer may also
be a decimal string, a switch also 1 or 0, and a list also comma-separated text. Unknown fields of a body and unknown
query parameters are refused. Only query parameters that begin with \`_\` are ignored, because caches add them. Read-only
fields are accepted and ignored, so you can post back what was listed. A body has at most 1 MiB, at sign-in 16 KiB.

**Answers.** Every success is 200. \`date\` is in Unix seconds, \`*_at\` in ISO 8601 (UTC). A field without a value is left
out. A list has its total in the header \`X-Total-Count\`, and the address of its next page in \`Link\`.

**Errors.** Every error is \`{"error", "code", "request_id"}\`: a sentence, a word of a closed list, and the id that is in
\`X-Request-Id\` and in the log. A 400 also has \`details\`, with every fault and not only the first. In it, \`path\` names
the input; it is \`body\` or \`query\` if the fault concerns all of it. The checks come in the order 401, 403, 400, 404. An
unknown path is 404. Another method is 405, with \`Allow\`.
`.trim();

/** The chapters of the document, by the first word of their paths after /api/. */
const CHAPTERS: Readonly<Record<string, { name: string; description: string }>> = {
  auth: { name: 'Sign-in', description: 'Sessions, passwords, API keys and accounts.' },
  fleet: { name: 'Fleet', description: 'The whole fleet in figures, and its processes.' },
  views: { name: 'Views', description: 'Filters of screens of the console that an account keeps under names.' },
  attention: { name: 'Attention', description: 'What is wrong with bots at this moment.' },
  events: { name: 'Events', description: 'What happened and somebody should know.' },
  'event-sinks': { name: 'Event sinks', description: 'Where events are sent: to a URL, or to a chat of a bot.' },
  system: { name: 'System', description: 'What the installation stands on.' },
  bots: { name: 'Bots', description: 'The bots of the fleet, and whether they run.' },
  programs: { name: 'Programs', description: 'Readers of the updates of a bot, each with a cursor of its own.' },
  chats: { name: 'Chats', description: 'The chats in which a bot was seen.' },
  replies: { name: 'Replies', description: 'Texts that people send again and again.' },
  topics: { name: 'Topics', description: 'The topics of forums and of private chats.' },
  messages: { name: 'Messages', description: 'The history of a chat, and sending to it.' },
  files: { name: 'Files', description: 'The files in messages: pictures, sound, video, documents.' },
  users: { name: 'Users', description: 'The users who wrote in a chat; banning and unbanning.' },
  people: { name: 'People', description: 'People in all chats, by their names.' },
  admins: { name: 'Admins', description: 'The administrators of a chat. Each list comes from the platform.' },
  tags: { name: 'Tags', description: 'Short notes on the users of a chat. People in the chat do not see them.' },
  notes: { name: 'Notes', description: 'What people of the team write to each other about a chat.' },
  broadcasts: { name: 'Broadcasts', description: 'One message to many chats of a bot.' },
  lists: { name: 'Lists', description: 'Chats that a broadcast can name as its audience, up to a million in a list.' },
  questions: {
    name: 'Questions',
    description: 'Questions to people in chats: messages with buttons, and their answers.',
  },
  outbox: {
    name: 'Outbox',
    description: 'Sends that are handed over: they go out once, in order, at their time, and say what became of them.',
  },
  routes: { name: 'Routes', description: 'Routing rules: they send messages of one bot to chats of another.' },
  adminlog: { name: 'Audit', description: 'The audit log: who did what, in chats and to the fleet.' },
  stats: { name: 'Statistics', description: 'Figures of a chat.' },
  activity: { name: 'Activity', description: 'What bots did, by minute and by hour.' },
  updates: { name: 'Updates', description: 'The updates of a bot, for clients that poll.' },
  live: { name: 'Live', description: 'What happens now, as a stream of events.' },
  deliveries: {
    name: 'Deliveries',
    description:
      "Updates that Flotilla sends to a bot's backend, or by routing rules to other chats.\n\nA failed update is sent again " +
      'at once, then after 2, 4, 8 … s, and finally every 60 to 120 s. `Retry-After` replaces the delay. A backend that ' +
      'failed for 10 s is retried every 2 to 60 s.\n\nAn update fails when it expires: an inline query ' +
      'after 30 s, a callback, shipping or pre-checkout query after 150 s, a chosen inline result after 10 min, ' +
      'everything else after 24 h. For a message this time begins at its date, but it has at least an hour from its ' +
      'arrival. Then it is a failed delivery. `POST /api/deliveries/redrive` redelivers it, ' +
      '`POST /api/deliveries/discard` deletes it.',
  },
};

/** Throws for a path without a chapter: enter a new one above. */
export function chapterOf(operation: Operation): string {
  const [, , chapter = ''] = operation.paths[0].split('/');
  const found = CHAPTERS[chapter];
  if (found === undefined) throw new Error(`${operation.paths[0]} has no chapter in the API document; add one here`);
  return found.name;
}

/** The chapters that these operations use, in the order of the document. */
export function chaptersOf(operations: readonly Operation[]): { name: string; description: string }[] {
  const used = new Set(operations.map(chapterOf));
  return Object.values(CHAPTERS).filter(({ name }) => used.has(name));
}
