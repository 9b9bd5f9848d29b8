/** What a token may be allowed to call, by group. */
export const METHOD_GROUPS = ['read', 'send', 'edit', 'moderate', 'files', 'payments'] as const;
export type MethodGroup = (typeof METHOD_GROUPS)[number];

/** Allows `file:` in place of a file, by which a Bot API server in local mode reads a file of its own disk. */
export const LOCAL_FILES = 'local_files';

/** Methods of `named` change the bot itself, business accounts or other bots, so they are allowed by name only. */
const METHODS_BY_GROUP: Record<MethodGroup | 'named', string> = {
  read: `
    getUpdates getMe getWebhookInfo getChat getChatAdministrators getChatMember getChatMemberCount getChatMembersCount
    getUserProfilePhotos getUserProfileAudios getUserPersonalChatMessages getUserChatBoosts getUserGifts getChatGifts
    getForumTopicIconStickers getMyCommands getMyName getMyDescription getMyShortDescription getChatMenuButton
    getMyDefaultAdministratorRights getStickerSet getCustomEmojiStickers getAvailableGifts getGameHighScores`,
  send: `
    sendMessage sendRichMessage forwardMessage forwardMessages copyMessage copyMessages sendPhoto sendLivePhoto sendAudio
    sendDocument sendVideo sendAnimation sendVoice sendVideoNote sendMediaGroup sendLocation sendVenue sendContact sendPoll
    sendChecklist sendDice sendSticker sendGame sendMessageDraft sendRichMessageDraft sendChatAction setMessageReaction
    answerCallbackQuery answerInlineQuery answerWebAppQuery answerGuestQuery`,
  edit: `
    editMessageText editMessageCaption editMessageMedia editMessageReplyMarkup editMessageChecklist
    editMessageLiveLocation stopMessageLiveLocation stopPoll editEphemeralMessageText editEphemeralMessageMedia
    editEphemeralMessageCaption editEphemeralMessageReplyMarkup deleteMessage deleteMessages deleteEphemeralMessage
    setGameScore setMyCommands deleteMyCommands`,
  moderate: `
    banChatMember kickChatMember unbanChatMember restrictChatMember promoteChatMember setChatAdministratorCustomTitle
    setChatMemberTag banChatSenderChat unbanChatSenderChat setChatPermissions exportChatInviteLink createChatInviteLink
    editChatInviteLink createChatSubscriptionInviteLink editChatSubscriptionInviteLink revokeChatInviteLink
    approveChatJoinRequest declineChatJoinRequest answerChatJoinRequestQuery sendChatJoinRequestWebApp
    approveSuggestedPost declineSuggestedPost setChatPhoto deleteChatPhoto setChatTitle setChatDescription pinChatMessage
    unpinChatMessage unpinAllChatMessages leaveChat setChatStickerSet deleteChatStickerSet createForumTopic editForumTopic
    closeForumTopic reopenForumTopic deleteForumTopic unpinAllForumTopicMessages editGeneralForumTopic
    closeGeneralForumTopic reopenGeneralForumTopic hideGeneralForumTopic unhideGeneralForumTopic
    unpinAllGeneralForumTopicMessages deleteMessageReaction deleteAllMessageReactions verifyUser verifyChat
    removeUserVerification removeChatVerification`,
  files: `
    getFile uploadStickerFile createNewStickerSet addStickerToSet setStickerPositionInSet deleteStickerFromSet
    replaceStickerInSet setStickerEmojiList setStickerKeywords setStickerMaskPosition setStickerSetTitle deleteStickerSet
    setStickerSetThumbnail setCustomEmojiStickerSetThumbnail`,
  payments: `
    sendInvoice sendPaidMedia createInvoiceLink answerShippingQuery answerPreCheckoutQuery getMyStarBalance
    getStarTransactions refundStarPayment editUserStarSubscription sendGift giftPremiumSubscription`,
  named: `
    setWebhook deleteWebhook logOut close setUserEmojiStatus setMyName setMyDescription setMyShortDescription
    setMyProfilePhoto removeMyProfilePhoto setChatMenuButton setMyDefaultAdministratorRights
    savePreparedInlineMessage savePreparedKeyboardButton setPassportDataErrors getBusinessConnection getManagedBotToken
    replaceManagedBotToken getManagedBotAccessSettings setManagedBotAccessSettings deleteBusinessMessages
    setBusinessAccountName setBusinessAccountUsername setBusinessAccountBio setBusinessAccountProfilePhoto
    removeBusinessAccountProfilePhoto setBusinessAccountGiftSettings getBusinessAccountStarBalance
    transferBusinessAccountStars getBusinessAccountGifts convertGiftToStars upgradeGift transferGift postStory repostStory
    editStory deleteStory readBusinessMessage`,
};

/** Methods of which `chat_id` (and `from_chat_id`) says which chats they touch, and nothing else does. */
const METHODS_OF_CHATS = `
  getChat getChatAdministrators getChatMember getChatMemberCount getChatMembersCount getUserChatBoosts getChatGifts
  sendMessage sendRichMessage forwardMessage forwardMessages copyMessage copyMessages sendPhoto sendLivePhoto sendAudio
  sendDocument sendVideo sendAnimation sendVoice sendVideoNote sendMediaGroup sendLocation sendVenue sendContact sendPoll
  sendDice sendSticker sendGame sendMessageDraft sendRichMessageDraft sendChatAction setMessageReaction
  editMessageText editMessageCaption editMessageMedia editMessageReplyMarkup editMessageLiveLocation
  stopMessageLiveLocation stopPoll editEphemeralMessageText editEphemeralMessageMedia editEphemeralMessageCaption
  editEphemeralMessageReplyMarkup deleteMessage deleteMessages deleteEphemeralMessage setGameScore getGameHighScores
  banChatMember kickChatMember unbanChatMember restrictChatMember promoteChatMember setChatAdministratorCustomTitle
  setChatMemberTag banChatSenderChat unbanChatSenderChat setChatPermissions exportChatInviteLink createChatInviteLink
  editChatInviteLink createChatSubscriptionInviteLink editChatSubscriptionInviteLink revokeChatInviteLink
  approveChatJoinRequest declineChatJoinRequest approveSuggestedPost declineSuggestedPost setChatPhoto deleteChatPhoto
  setChatTitle setChatDescription pinChatMessage unpinChatMessage unpinAllChatMessages leaveChat setChatStickerSet
  deleteChatStickerSet createForumTopic editForumTopic closeForumTopic reopenForumTopic deleteForumTopic
  unpinAllForumTopicMessages editGeneralForumTopic closeGeneralForumTopic reopenGeneralForumTopic
  hideGeneralForumTopic unhideGeneralForumTopic unpinAllGeneralForumTopicMessages deleteMessageReaction
  deleteAllMessageReactions sendInvoice sendPaidMedia verifyChat removeChatVerification`;
const METHODS_FROM_CHATS = 'forwardMessage forwardMessages copyMessage copyMessages';

const GROUP_OF: ReadonlyMap<string, MethodGroup | 'named'> = new Map(
  Object.entries(METHODS_BY_GROUP).flatMap(([group, names]) =>
    namesIn(names).map((name) => [name.toLowerCase(), group as MethodGroup | 'named'] as const),
  ),
);
const WRITTEN: ReadonlyMap<string, string> = new Map(
  Object.values(METHODS_BY_GROUP)
    .flatMap(namesIn)
    .map((name) => [name.toLowerCase(), name]),
);
const OF_CHATS: ReadonlySet<string> = new Set(namesIn(METHODS_OF_CHATS.toLowerCase()));
const FROM_CHATS: ReadonlySet<string> = new Set(namesIn(METHODS_FROM_CHATS.toLowerCase()));

/** The group of a method; undefined for a method that we do not know. */
export function groupOfMethod(lowerCaseMethod: string): MethodGroup | 'named' | undefined {
  return GROUP_OF.get(lowerCaseMethod);
}

/** A method as the platform's documentation writes it; as it is given for one that we do not know. */
export function writtenMethod(lowerCaseMethod: string): string {
  return WRITTEN.get(lowerCaseMethod) ?? lowerCaseMethod;
}

/** True for methods by which a bot gets, replaces or limits the tokens of bots that it manages. */
export function isOfManagedBots(lowerCaseMethod: string): boolean {
  return lowerCaseMethod.includes('managedbot');
}

/** Which parameters name the chats that a method touches; null if they do not tell all of them. */
export function chatParametersOf(lowerCaseMethod: string): readonly string[] | null {
  if (!OF_CHATS.has(lowerCaseMethod)) return null;
  return FROM_CHATS.has(lowerCaseMethod) ? ['chat_id', 'from_chat_id'] : ['chat_id'];
}

/** The methods, in lower case, that these names and groups allow. */
export function methodsNamed(namesAndGroups: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(namesAndGroups.map((name) => name.toLowerCase()));
  return new Set(
    [...GROUP_OF].filter(([method, group]) => wanted.has(method) || wanted.has(group)).map(([name]) => name),
  );
}

/** True for what the list of a token may name: a group, a method that we know (in any case), or LOCAL_FILES. */
export function isGrant(name: string): boolean {
  return [...METHOD_GROUPS, LOCAL_FILES].includes(name) || GROUP_OF.has(name.toLowerCase());
}

function namesIn(list: string): string[] {
  return list.trim().split(/\s+/);
}
