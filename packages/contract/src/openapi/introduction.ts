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
