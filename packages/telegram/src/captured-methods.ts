/** The part of a method's `result` that the history stores. */
export type CaptureEffect =
  /** A Message or a list of Messages, stored as sent or as edited. `true` (an inline message) stores nothing. */
  | 'messages'
  /** A MessageId or a list of them. The content is that of the source, which the parameters name. */
  | 'copies'
  /** `true`: the ephemeral message that the parameters name has what they say. */
  | 'edits'
  /** `true`: the messages that the parameters name are deleted. */
  | 'deletion'
  /** `true` or an object: makes an entry of the audit log from the parameters. */
  | 'audit'
  /** A User, the bot itself: its username may be new. The history stores nothing. */
  | 'identity';

export type CapturedMethod = { effect: CaptureEffect };

const METHODS_BY_EFFECT: Record<CaptureEffect, string> = {
  messages: `
    sendMessage sendPhoto sendAudio sendDocument sendVideo sendAnimation sendVoice sendVideoNote sendLivePhoto
    sendPaidMedia sendMediaGroup sendLocation sendVenue sendContact sendPoll sendChecklist sendDice sendSticker
    sendGame sendInvoice sendRichMessage forwardMessage
    editMessageText editMessageCaption editMessageMedia editMessageChecklist editMessageReplyMarkup
    editMessageLiveLocation stopMessageLiveLocation setGameScore`,
  copies: `copyMessage copyMessages forwardMessages`,
  edits: `
    editEphemeralMessageText editEphemeralMessageMedia editEphemeralMessageCaption editEphemeralMessageReplyMarkup`,
  deletion: `deleteMessage deleteMessages deleteBusinessMessages deleteEphemeralMessage`,
  identity: `getMe`,
  audit: `
    banChatMember kickChatMember unbanChatMember banChatSenderChat unbanChatSenderChat restrictChatMember
    promoteChatMember setChatAdministratorCustomTitle setChatMemberTag setChatPermissions
    pinChatMessage unpinChatMessage unpinAllChatMessages unpinAllForumTopicMessages
    unpinAllGeneralForumTopicMessages
    setChatTitle setChatDescription setChatPhoto deleteChatPhoto setChatStickerSet deleteChatStickerSet
    approveChatJoinRequest declineChatJoinRequest approveSuggestedPost declineSuggestedPost leaveChat
    createChatInviteLink createChatSubscriptionInviteLink editChatInviteLink editChatSubscriptionInviteLink
    revokeChatInviteLink exportChatInviteLink
    createForumTopic editForumTopic closeForumTopic reopenForumTopic deleteForumTopic editGeneralForumTopic
    closeGeneralForumTopic reopenGeneralForumTopic hideGeneralForumTopic unhideGeneralForumTopic`,
};

/** Spelled as in the Bot API documentation. */
export const CAPTURED_METHOD_NAMES: readonly string[] = Object.values(METHODS_BY_EFFECT).flatMap(namesIn);

/** By method name in lower case, from the names of the Bot API documentation. */
export const CAPTURED_METHODS: ReadonlyMap<string, CapturedMethod> = new Map(
  Object.entries(METHODS_BY_EFFECT).flatMap(([effect, names]) =>
    namesIn(names).map((name) => [name.toLowerCase(), { effect: effect as CaptureEffect }] as const),
  ),
);

const LIKE_SEND_MESSAGE: CapturedMethod = { effect: 'messages' };

/** These leave nothing in a chat. */
const SENDS_NOTHING = new Set([
  ...['sendchataction', 'sendmessagedraft', 'sendrichmessagedraft', 'sendchatjoinrequestwebapp', 'sendgift'],
]);

/** How a method is captured; undefined when it is not. An unknown `send…` method counts as one that sends a message. */
export function capturedMethod(lowerCaseMethod: string): CapturedMethod | undefined {
  const known = CAPTURED_METHODS.get(lowerCaseMethod);
  if (known !== undefined) return known;
  return lowerCaseMethod.startsWith('send') && !SENDS_NOTHING.has(lowerCaseMethod) ? LIKE_SEND_MESSAGE : undefined;
}

function namesIn(list: string): string[] {
  return list.trim().split(/\s+/);
}
