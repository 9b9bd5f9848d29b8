/** Methods that the platform slows down together: a 429 to one of them says when a chat takes the others again. */
export const METHOD_FAMILIES = ['send', 'edit', 'chat_action', 'other'] as const;
export type MethodFamily = (typeof METHOD_FAMILIES)[number];

/** The first row whose names match, in lower case, decides. `family` is null where a 429 says nothing about other calls. */
const TABLE: readonly { family: MethodFamily | null; names: RegExp; why: string }[] = [
  {
    family: null,
    names: /^(getupdates|setwebhook|deletewebhook|getwebhookinfo|getme|logout|close)$/,
    why: 'The server exempts them from its limit of a bot (Client.cpp:399); setWebhook and close have limits of their own',
  },
  {
    family: 'chat_action',
    names: /^(sendchataction|sendmessagedraft|sendrichmessagedraft)$/,
    why: 'They leave no message, so the limits of messages do not name them, and a bot can do without them while they rest',
  },
  {
    family: 'other',
    names: /^(sendgift|sendchatjoinrequestwebapp)$/,
    why: 'They are named like sends, but put no message into a chat',
  },
  {
    family: 'send',
    names: /^(send\w*|forward\w*|copy\w*|createforumtopic)$/,
    why: 'The documented limits are those of messages in a chat; a new topic is a message, too (tdlib/td#2592)',
  },
  {
    family: 'edit',
    names: /^(edit(ephemeral)?message\w*|stopmessagelivelocation|stoppoll|setgamescore)$/,
    why: 'Edits count towards the same limit as sends (tdlib/td#3034), but each refusal names a wait of its own. A family of its own costs one refused edit where the chat takes neither, and holds none that would pass',
  },
  {
    family: 'other',
    names: /./,
    why: 'They are limited much later than messages, and not because of them (tdlib/telegram-bot-api#648)',
  },
];

/** The family of a method; null for methods whose 429 says nothing about other calls. Unknown `send…` methods count as sends. */
export function familyOf(lowerCaseMethod: string): MethodFamily | null {
  return TABLE.find(({ names }) => names.test(lowerCaseMethod))?.family ?? null;
}
