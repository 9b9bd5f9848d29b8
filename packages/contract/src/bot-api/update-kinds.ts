/** The release of the Bot API that the tables of this folder describe. */
export const BOT_API_VERSION = '10.5';

/** All that is known of a kind of updates by its name. A kind that is not in the table has what its fields and its name tell. */
type KindFacts = {
  /** The prefix of its lane, and the field that owns the lane. Updates of one lane are delivered in order. */
  lane: `${string}:${'chat.id' | 'from.id' | 'user.id' | 'id' | 'poll_id' | 'bot.id'}`;
  /** How many seconds after its arrival it is worth delivering. Without this, a day from the date of its event. */
  keepS?: number;
  /** A bot receives it only if it names it. */
  onDemand?: true;
  /** It is a Message, which has words and a topic. `routed`: a new one that rules look at, and that can be part of an album. */
  message?: 'routed' | 'new' | 'edited';
  /** It happens in a chat, although its lane is that of a person. */
  inChat?: true;
  /** The field that filters take for its text. */
  text?: 'data' | 'query';
  /** `pressed`: it has the topic of the message in its field `message`. `thread`: it names a topic itself. */
  topic?: 'pressed' | 'thread';
  /** Programs get it even if a person has taken its chat over: it is about money, or belongs to no chat. */
  passesHold?: true;
  /** Rules turns look at it: it tells of a bot that may be adopted. */
  adopted?: true;
};

const DAY_S = 86_400;

const TABLE = {
  message: { lane: 'c:chat.id', message: 'routed' },
  edited_message: { lane: 'c:chat.id', message: 'edited' },
  channel_post: { lane: 'c:chat.id', message: 'routed' },
  edited_channel_post: { lane: 'c:chat.id', message: 'edited' },
  inline_query: { lane: 'iq:from.id', keepS: 30, text: 'query', passesHold: true },
  chosen_inline_result: { lane: 'ci:from.id', keepS: 600, text: 'query', passesHold: true },
  callback_query: { lane: 'cb:from.id', keepS: 150, inChat: true, text: 'data', topic: 'pressed' },
  shipping_query: { lane: 'pay:from.id', keepS: 150, passesHold: true },
  pre_checkout_query: { lane: 'pay:from.id', keepS: 150, passesHold: true },
  poll: { lane: 'poll:id', keepS: DAY_S, passesHold: true },
  poll_answer: { lane: 'poll:poll_id', keepS: DAY_S, passesHold: true },
  my_chat_member: { lane: 'c:chat.id' },
  chat_member: { lane: 'mem:from.id', onDemand: true, inChat: true },
  chat_join_request: { lane: 'mem:from.id', inChat: true },
  chat_boost: { lane: 'boost:chat.id' },
  removed_chat_boost: { lane: 'boost:chat.id' },
  message_reaction: { lane: 'react:chat.id', onDemand: true },
  message_reaction_count: { lane: 'rcount:chat.id', onDemand: true },
  business_connection: { lane: 'bc:user.id', keepS: DAY_S, passesHold: true },
  business_message: { lane: 'bm:chat.id', message: 'routed' },
  edited_business_message: { lane: 'bm:chat.id', message: 'edited' },
  deleted_business_messages: { lane: 'bm:chat.id', keepS: DAY_S },
  purchased_paid_media: { lane: 'paid:from.id', keepS: DAY_S, passesHold: true },
  // One bot may be told of for several owners, the last of whom has it.
  managed_bot: { lane: 'mb:bot.id', keepS: DAY_S, passesHold: true, adopted: true },
  guest_message: { lane: 'c:chat.id', message: 'new' },
  subscription: { lane: 'sub:user.id', keepS: DAY_S, passesHold: true },
  // Not among the messages of the chat: it stops the answer to the one that the backend still works on.
  stopped_message_generation: { lane: 'stop:chat.id', keepS: DAY_S, topic: 'thread' },
  widget_query: { lane: 'wq:from.id', keepS: 15, inChat: true, text: 'data' },
  shared_widget_query: { lane: 'sw:from.id', keepS: 15, text: 'data', passesHold: true },
} as const satisfies Record<string, KindFacts>;

export type UpdateKind = keyof typeof TABLE;
/** The kinds that a bot receives only if it names them. */
export type OnDemandKind = { [K in UpdateKind]: (typeof TABLE)[K] extends { onDemand: true } ? K : never }[UpdateKind];

/** Every update kind in the platform's order. Its internal custom_event and custom_query are not among them. */
export const UPDATE_KINDS = Object.keys(TABLE) as UpdateKind[];

const FACTS: ReadonlyMap<string, KindFacts> = new Map(Object.entries(TABLE));

/** Undefined for a kind that is not known by name. */
export function kindFacts(kind: string): KindFacts | undefined {
  return FACTS.get(kind);
}

/** The known kinds of which this holds, in the platform's order. */
export function kindsWith(holds: (facts: KindFacts) => boolean): UpdateKind[] {
  return UPDATE_KINDS.filter((kind) => holds(TABLE[kind]));
}

/** Those that are worth delivering for minutes at most, such as presses. */
export const SHORT_LIVED_KINDS: readonly UpdateKind[] = kindsWith(({ keepS = DAY_S }) => keepS < DAY_S);

/** The prefixes of the lanes that chats own. */
export const CHAT_LANES: readonly string[] = [
  ...new Set([...FACTS.values()].flatMap(({ lane }) => (lane.endsWith(':chat.id') ? lane.split(':')[0]! : []))),
];
