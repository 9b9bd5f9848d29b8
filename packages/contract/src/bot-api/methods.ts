/** The methods that a token may be allowed to call, by group. */
export const METHOD_GROUPS = ['read', 'send', 'edit', 'moderate', 'files', 'payments'] as const;
export type MethodGroup = (typeof METHOD_GROUPS)[number];

/** Methods that the platform slows down together: a 429 to one of them says when a chat takes the others again. */
export const METHOD_FAMILIES = ['send', 'edit', 'chat_action', 'other'] as const;
export type MethodFamily = (typeof METHOD_FAMILIES)[number];

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

/** All that is known of a method by its name. */
export type MethodFacts = {
  /** `named`: it changes the bot itself, business accounts or other bots, so a token must name it. */
  group: MethodGroup | 'named';
  /** Absent: 'other'. Null: its 429 says nothing about other calls. */
  family?: MethodFamily | null;
  /** The parameters that name the chats which it touches. Absent: they do not tell all of them. */
  chats?: readonly string[];
  /** Absent: it acts in a whole chat, or its topic cannot be told. */
  topic?: TopicRule;
  captured?: CaptureEffect;
  /** `content`: a parameter has files or inline results. `prices`: none has, but one can cost Stars. */
  has?: 'content' | 'prices';
  /** Each successful call costs Stars of the bot or of a business account. */
  spends?: true;
};

const TO = ['chat_id'];
const TO_FROM = ['chat_id', 'from_chat_id'];

/** The spelling of the platform's documentation. Some older names are only in the platform itself. */
export const METHODS: Readonly<Record<string, MethodFacts>> = {
  getUpdates: { group: 'read', family: null },
  getMe: { group: 'read', family: null, captured: 'identity' },
  getWebhookInfo: { group: 'read', family: null },
  getChat: { group: 'read', chats: TO },
  getChatAdministrators: { group: 'read', chats: TO, topic: 'people' },
  getChatMember: { group: 'read', chats: TO, topic: 'people' },
  getChatMemberCount: { group: 'read', chats: TO, topic: 'people' },
  getChatMembersCount: { group: 'read', chats: TO, topic: 'people' },
  getUserProfilePhotos: { group: 'read' },
  getUserProfileAudios: { group: 'read' },
  getUserPersonalChatMessages: { group: 'read' },
  getUserChatBoosts: { group: 'read', chats: TO, topic: 'people' },
  getUserGifts: { group: 'read' },
  getChatGifts: { group: 'read', chats: TO },
  getForumTopicIconStickers: { group: 'read' },
  getMyCommands: { group: 'read' },
  getMyName: { group: 'read' },
  getMyDescription: { group: 'read' },
  getMyShortDescription: { group: 'read' },
  getChatMenuButton: { group: 'read' },
  getMyDefaultAdministratorRights: { group: 'read' },
  getStickerSet: { group: 'read' },
  getCustomEmojiStickers: { group: 'read' },
  getAvailableGifts: { group: 'read' },
  getGameHighScores: { group: 'read', chats: TO, topic: 'message' },
  sendMessage: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'prices' },
  sendRichMessage: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  forwardMessage: {
    group: 'send',
    family: 'send',
    chats: TO_FROM,
    topic: 'sends',
    captured: 'messages',
    has: 'prices',
  },
  forwardMessages: { group: 'send', family: 'send', chats: TO_FROM, topic: 'sends', captured: 'copies', has: 'prices' },
  copyMessage: { group: 'send', family: 'send', chats: TO_FROM, topic: 'sends', captured: 'copies', has: 'prices' },
  copyMessages: { group: 'send', family: 'send', chats: TO_FROM, topic: 'sends', captured: 'copies', has: 'prices' },
  sendPhoto: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendLivePhoto: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendAudio: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendDocument: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendVideo: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendAnimation: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendVoice: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendVideoNote: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendMediaGroup: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendLocation: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'prices' },
  sendVenue: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'prices' },
  sendContact: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'prices' },
  sendPoll: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendChecklist: { group: 'send', family: 'send', captured: 'messages', has: 'prices' },
  sendDice: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'prices' },
  sendSticker: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendGame: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'prices' },
  sendMessageDraft: { group: 'send', family: 'chat_action', chats: TO, topic: 'sends' },
  sendRichMessageDraft: { group: 'send', family: 'chat_action', chats: TO, topic: 'sends', has: 'content' },
  sendChatAction: { group: 'send', family: 'chat_action', chats: TO, topic: 'sends' },
  setMessageReaction: { group: 'send', chats: TO, topic: 'message' },
  sendWidget: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendSharedWidget: { group: 'send', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'prices' },
  answerCallbackQuery: { group: 'send' },
  answerWidgetQuery: { group: 'send' },
  answerInlineQuery: { group: 'send', has: 'content' },
  answerWebAppQuery: { group: 'send', has: 'content' },
  answerGuestQuery: { group: 'send', has: 'content' },
  editMessageText: { group: 'edit', family: 'edit', chats: TO, topic: 'message', captured: 'messages', has: 'content' },
  editMessageCaption: { group: 'edit', family: 'edit', chats: TO, topic: 'message', captured: 'messages' },
  editMessageMedia: {
    group: 'edit',
    family: 'edit',
    chats: TO,
    topic: 'message',
    captured: 'messages',
    has: 'content',
  },
  editMessageReplyMarkup: { group: 'edit', family: 'edit', chats: TO, topic: 'message', captured: 'messages' },
  editMessageChecklist: { group: 'edit', family: 'edit', captured: 'messages' },
  editMessageLiveLocation: { group: 'edit', family: 'edit', chats: TO, topic: 'message', captured: 'messages' },
  stopMessageLiveLocation: { group: 'edit', family: 'edit', chats: TO, topic: 'message', captured: 'messages' },
  stopPoll: { group: 'edit', family: 'edit', chats: TO, topic: 'message' },
  editMessageWidgetData: { group: 'edit', family: 'edit', chats: TO, topic: 'message' },
  editSharedWidgetData: { group: 'edit' },
  editEphemeralMessageText: { group: 'edit', family: 'edit', chats: TO, captured: 'edits', has: 'content' },
  editEphemeralMessageMedia: { group: 'edit', family: 'edit', chats: TO, captured: 'edits', has: 'content' },
  editEphemeralMessageCaption: { group: 'edit', family: 'edit', chats: TO, captured: 'edits' },
  editEphemeralMessageReplyMarkup: { group: 'edit', family: 'edit', chats: TO, captured: 'edits' },
  deleteMessage: { group: 'edit', chats: TO, topic: 'message', captured: 'deletion' },
  deleteMessages: { group: 'edit', chats: TO, topic: 'message', captured: 'deletion' },
  deleteEphemeralMessage: { group: 'edit', chats: TO, captured: 'deletion' },
  setGameScore: { group: 'edit', family: 'edit', chats: TO, topic: 'message', captured: 'messages' },
  setMyCommands: { group: 'edit' },
  deleteMyCommands: { group: 'edit' },
  banChatMember: { group: 'moderate', chats: TO, captured: 'audit' },
  kickChatMember: { group: 'moderate', chats: TO, captured: 'audit' },
  unbanChatMember: { group: 'moderate', chats: TO, captured: 'audit' },
  restrictChatMember: { group: 'moderate', chats: TO, captured: 'audit' },
  promoteChatMember: { group: 'moderate', chats: TO, captured: 'audit' },
  setChatAdministratorCustomTitle: { group: 'moderate', chats: TO, captured: 'audit' },
  setChatMemberTag: { group: 'moderate', chats: TO, captured: 'audit' },
  banChatSenderChat: { group: 'moderate', chats: TO, captured: 'audit' },
  unbanChatSenderChat: { group: 'moderate', chats: TO, captured: 'audit' },
  setChatPermissions: { group: 'moderate', chats: TO, captured: 'audit' },
  exportChatInviteLink: { group: 'moderate', chats: TO, captured: 'audit' },
  createChatInviteLink: { group: 'moderate', chats: TO, captured: 'audit' },
  editChatInviteLink: { group: 'moderate', chats: TO, captured: 'audit' },
  createChatSubscriptionInviteLink: { group: 'moderate', chats: TO, captured: 'audit' },
  editChatSubscriptionInviteLink: { group: 'moderate', chats: TO, captured: 'audit' },
  revokeChatInviteLink: { group: 'moderate', chats: TO, captured: 'audit' },
  approveChatJoinRequest: { group: 'moderate', chats: TO, captured: 'audit' },
  declineChatJoinRequest: { group: 'moderate', chats: TO, captured: 'audit' },
  answerChatJoinRequestQuery: { group: 'moderate', has: 'content' },
  sendChatJoinRequestWebApp: { group: 'moderate' },
  approveSuggestedPost: { group: 'moderate', chats: TO, captured: 'audit' },
  declineSuggestedPost: { group: 'moderate', chats: TO, captured: 'audit' },
  setChatPhoto: { group: 'moderate', chats: TO, captured: 'audit', has: 'content' },
  deleteChatPhoto: { group: 'moderate', chats: TO, captured: 'audit' },
  setChatTitle: { group: 'moderate', chats: TO, captured: 'audit' },
  setChatDescription: { group: 'moderate', chats: TO, captured: 'audit' },
  pinChatMessage: { group: 'moderate', chats: TO, topic: 'message', captured: 'audit' },
  unpinChatMessage: { group: 'moderate', chats: TO, topic: 'message', captured: 'audit' },
  unpinAllChatMessages: { group: 'moderate', chats: TO, captured: 'audit' },
  leaveChat: { group: 'moderate', chats: TO, captured: 'audit' },
  setChatStickerSet: { group: 'moderate', chats: TO, captured: 'audit' },
  deleteChatStickerSet: { group: 'moderate', chats: TO, captured: 'audit' },
  createForumTopic: { group: 'moderate', family: 'send', chats: TO, captured: 'audit' },
  editForumTopic: { group: 'moderate', chats: TO, topic: 'topic', captured: 'audit' },
  closeForumTopic: { group: 'moderate', chats: TO, topic: 'topic', captured: 'audit' },
  reopenForumTopic: { group: 'moderate', chats: TO, topic: 'topic', captured: 'audit' },
  deleteForumTopic: { group: 'moderate', chats: TO, topic: 'topic', captured: 'audit' },
  unpinAllForumTopicMessages: { group: 'moderate', chats: TO, topic: 'topic', captured: 'audit' },
  editGeneralForumTopic: { group: 'moderate', chats: TO, topic: 'general', captured: 'audit' },
  closeGeneralForumTopic: { group: 'moderate', chats: TO, topic: 'general', captured: 'audit' },
  reopenGeneralForumTopic: { group: 'moderate', chats: TO, topic: 'general', captured: 'audit' },
  hideGeneralForumTopic: { group: 'moderate', chats: TO, topic: 'general', captured: 'audit' },
  unhideGeneralForumTopic: { group: 'moderate', chats: TO, topic: 'general', captured: 'audit' },
  unpinAllGeneralForumTopicMessages: { group: 'moderate', chats: TO, topic: 'general', captured: 'audit' },
  deleteMessageReaction: { group: 'moderate', chats: TO, topic: 'message' },
  deleteAllMessageReactions: { group: 'moderate', chats: TO },
  verifyUser: { group: 'moderate' },
  verifyChat: { group: 'moderate', chats: TO },
  removeUserVerification: { group: 'moderate' },
  removeChatVerification: { group: 'moderate', chats: TO },
  getFile: { group: 'files' },
  uploadStickerFile: { group: 'files', has: 'content' },
  createNewStickerSet: { group: 'files', has: 'content' },
  addStickerToSet: { group: 'files', has: 'content' },
  setStickerPositionInSet: { group: 'files', has: 'content' },
  deleteStickerFromSet: { group: 'files', has: 'content' },
  replaceStickerInSet: { group: 'files', has: 'content' },
  setStickerEmojiList: { group: 'files', has: 'content' },
  setStickerKeywords: { group: 'files', has: 'content' },
  setStickerMaskPosition: { group: 'files', has: 'content' },
  setStickerSetTitle: { group: 'files' },
  deleteStickerSet: { group: 'files' },
  setStickerSetThumbnail: { group: 'files', has: 'content' },
  setCustomEmojiStickerSetThumbnail: { group: 'files' },
  sendInvoice: { group: 'payments', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  sendPaidMedia: { group: 'payments', family: 'send', chats: TO, topic: 'sends', captured: 'messages', has: 'content' },
  createInvoiceLink: { group: 'payments', has: 'content' },
  answerShippingQuery: { group: 'payments' },
  answerPreCheckoutQuery: { group: 'payments' },
  getMyStarBalance: { group: 'payments' },
  getStarTransactions: { group: 'payments' },
  refundStarPayment: { group: 'payments', spends: true },
  editUserStarSubscription: { group: 'payments' },
  sendGift: { group: 'payments', spends: true },
  giftPremiumSubscription: { group: 'payments', spends: true },
  setWebhook: { group: 'named', family: null },
  deleteWebhook: { group: 'named', family: null },
  logOut: { group: 'named', family: null },
  close: { group: 'named', family: null },
  setUserEmojiStatus: { group: 'named' },
  setMySettings: { group: 'named' },
  setMyName: { group: 'named' },
  setMyDescription: { group: 'named' },
  setMyShortDescription: { group: 'named' },
  setMyProfilePhoto: { group: 'named', has: 'content' },
  removeMyProfilePhoto: { group: 'named' },
  setChatMenuButton: { group: 'named' },
  setMyDefaultAdministratorRights: { group: 'named' },
  savePreparedInlineMessage: { group: 'named', has: 'content' },
  savePreparedKeyboardButton: { group: 'named' },
  setPassportDataErrors: { group: 'named' },
  getBusinessConnection: { group: 'named' },
  getManagedBotToken: { group: 'named' },
  replaceManagedBotToken: { group: 'named' },
  getManagedBotAccessSettings: { group: 'named' },
  setManagedBotAccessSettings: { group: 'named' },
  deleteBusinessMessages: { group: 'named', captured: 'deletion' },
  setBusinessAccountName: { group: 'named' },
  setBusinessAccountUsername: { group: 'named' },
  setBusinessAccountBio: { group: 'named' },
  setBusinessAccountProfilePhoto: { group: 'named', has: 'content' },
  removeBusinessAccountProfilePhoto: { group: 'named' },
  setBusinessAccountGiftSettings: { group: 'named' },
  getBusinessAccountStarBalance: { group: 'named' },
  transferBusinessAccountStars: { group: 'named', spends: true },
  getBusinessAccountGifts: { group: 'named' },
  convertGiftToStars: { group: 'named' },
  upgradeGift: { group: 'named', spends: true },
  transferGift: { group: 'named', spends: true },
  postStory: { group: 'named', has: 'content' },
  repostStory: { group: 'named' },
  editStory: { group: 'named', has: 'content' },
  deleteStory: { group: 'named' },
  readBusinessMessage: { group: 'named' },
};

const BY_LOWER_CASE: ReadonlyMap<string, { name: string; facts: MethodFacts }> = new Map(
  Object.entries(METHODS).map(([name, facts]) => [name.toLowerCase(), { name, facts }]),
);

/** Undefined for a method that is not known by name. */
export function methodFacts(lowerCaseMethod: string): MethodFacts | undefined {
  return BY_LOWER_CASE.get(lowerCaseMethod)?.facts;
}

/** A method as the platform's documentation writes it; as it is given for one that we do not know. */
export function writtenMethod(lowerCaseMethod: string): string {
  return BY_LOWER_CASE.get(lowerCaseMethod)?.name ?? lowerCaseMethod;
}
