/** The limits after which a bot gets 429; a limit that is not given does not exist. */
export type FloodLimits = {
  /** Messages a second into all chats together. */
  perSecond?: number | undefined;
  /** Messages a second into one chat, once `chatBurst` of them [1] were sent without a pause. */
  perChatSecond?: number | undefined;
  chatBurst?: number | undefined;
  /** Messages a minute into one group, supergroup or channel. */
  perGroupMinute?: number | undefined;
  /** By how much a call during a wait multiplies its length, once a second at most; 1: not at all. */
  waitGrowth?: number | undefined;
  longestWaitS?: number | undefined;
};

/** Those of core.telegram.org/bots/faq ("My bot is hitting limits"); burst and growth are estimates of what bots report. */
export const PLATFORM_LIMITS: FloodLimits = {
  perSecond: 30,
  perChatSecond: 1,
  chatBurst: 10,
  perGroupMinute: 20,
  waitGrowth: 2,
  longestWaitS: 300,
};

/** Families are counted, and have to wait, apart from each other. */
export const METHOD_FAMILIES = ['send', 'edit', 'action'] as const;
export type MethodFamily = (typeof METHOD_FAMILIES)[number];

const ACTIONS = new Set(['sendchataction', 'sendmessagedraft', 'sendrichmessagedraft']);
const NO_MESSAGES = new Set(['sendchatjoinrequestwebapp', 'sendgift']);

/** The family of a method, by its name in lower case; null: the method has no limit. */
export function familyOf(method: string): MethodFamily | null {
  if (ACTIONS.has(method)) return 'action';
  if (NO_MESSAGES.has(method)) return null;
  if (/^(send|forward|copy)/.test(method)) return 'send';
  return /^(edit(message|ephemeral)|stoppoll$|stopmessagelivelocation$)/.test(method) ? 'edit' : null;
}
