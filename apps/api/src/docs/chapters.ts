import type { Operation } from '@flotilla/contract/operation.ts';

/** What the document begins with: what holds for every operation. */
export const INTRODUCTION = `
Register bots, read and moderate their chats, and receive their updates.

**Credentials.** Send \`Authorization: Bearer <API key>\`, or sign in with \`POST /api/auth/login\` and keep the cookie. A
Bearer header decides alone, whatever the cookie says. The role \`admin\` may do everything; the role \`user\` sees its
bots and does what is not marked **Admin only**. Tokens and secrets are shown
whole to API keys of admins; to sessions and to users they are masked, and what is given back masked changes nothing.

**Inputs.** GET takes them from the query string. POST takes them from a JSON body, from
\`application/x-www-form-urlencoded\`, or from the query string; where a name is in both, the body counts. Integers may be
numbers or decimal strings, switches also 1 and 0, lists also comma-separated text. Unknown fields of a body and unknown
query parameters are refused, but for parameters that begin with \`_\`, which caches add. Fields that are read-only are
accepted and ignored, so that what was listed can be posted back. A body has at most 1 MiB, at
sign-in 16 KiB.

**Answers.** Every success is 200. \`date\` is in Unix seconds, \`*_at\` in ISO 8601 (UTC). A field without a value is left
out. Lists say their total in \`X-Total-Count\` and where the next page is in \`Link\`.

**Errors.** Every error is \`{"error", "code", "request_id"}\`: a sentence, a word of a closed list, and the id that is in
\`X-Request-Id\` and in the log. A 400 has \`details\`, with every fault and not only the first; its \`path\` names the
input, or is \`body\` or \`query\` where it is the whole of it. Checks come in the order 401, 403, 400, 404. An unknown
path is 404, another method 405 with \`Allow\`.
`.trim();

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

/** Throws for a path without a chapter: enter a new one above. */
export function chapterOf(operation: Operation): string {
  const [, , chapter = ''] = operation.paths[0].split('/');
  const found = CHAPTERS[chapter];
  if (found === undefined) throw new Error(`${operation.paths[0]} has no chapter in the API document; add one here`);
  return found.name;
}

/** The chapters in their order, those in use only. */
export function chaptersOf(operations: readonly Operation[]): { name: string; description: string }[] {
  const used = new Set(operations.map(chapterOf));
  return Object.values(CHAPTERS).filter(({ name }) => used.has(name));
}
