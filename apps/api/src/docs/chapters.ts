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
  attention: { name: 'Attention', description: 'What is wrong with bots at this moment.' },
