/**
 * How the parameters of a method tell the topic in which it acts:
 *
 * - `sends`: `message_thread_id` names it; without that it is outside topics, or the topic of the message that is answered.
 * - `message`: that of the messages that it names.
 * - `topic`: `message_thread_id` names the topic itself.
 * - `general`: it is about General.
 * - `people`: it asks who is in the chat, and shows no message.
 */
export type TopicRule = 'sends' | 'message' | 'topic' | 'general' | 'people';

const METHODS: Record<TopicRule, string> = {
  sends: `
    sendMessage sendRichMessage forwardMessage forwardMessages copyMessage copyMessages sendPhoto sendLivePhoto sendAudio
    sendDocument sendVideo sendAnimation sendVoice sendVideoNote sendMediaGroup sendLocation sendVenue sendContact
    sendPoll sendDice sendSticker sendGame sendInvoice sendPaidMedia sendMessageDraft sendRichMessageDraft sendChatAction`,
  message: `
    editMessageText editMessageCaption editMessageMedia editMessageReplyMarkup editMessageLiveLocation
    stopMessageLiveLocation stopPoll deleteMessage deleteMessages setMessageReaction deleteMessageReaction pinChatMessage
    unpinChatMessage setGameScore getGameHighScores`,
  topic: `editForumTopic closeForumTopic reopenForumTopic deleteForumTopic unpinAllForumTopicMessages`,
  general: `
    editGeneralForumTopic closeGeneralForumTopic reopenGeneralForumTopic hideGeneralForumTopic unhideGeneralForumTopic
    unpinAllGeneralForumTopicMessages`,
  people: `getChatAdministrators getChatMember getChatMemberCount getChatMembersCount getUserChatBoosts`,
};

const RULES: ReadonlyMap<string, TopicRule> = new Map(
  Object.entries(METHODS).flatMap(([rule, names]) =>
    names
      .toLowerCase()
      .trim()
      .split(/\s+/)
      .map((name) => [name, rule as TopicRule] as const),
  ),
);

/** Undefined for a method that acts in a whole chat, or of which the topic cannot be told. */
export function topicRuleOf(lowerCaseMethod: string): TopicRule | undefined {
  return RULES.get(lowerCaseMethod);
}
