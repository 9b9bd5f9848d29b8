import { text } from '../http/params.ts';
import { newQueryId } from '../simulator.ts';
import type { Method } from './call.ts';

/**
 * Methods that are answered with the right type and keep nothing, by what they answer; README.md lists them. A test holds
 * them against the documented methods.
 */
const UNKEPT: [answer: Method, names: string][] = [
  [
    () => true,
    `setUserEmojiStatus setChatMemberTag banChatSenderChat unbanChatSenderChat sendChatJoinRequestWebApp setChatStickerSet
    deleteChatStickerSet sendGift giftPremiumSubscription verifyUser verifyChat removeUserVerification
    removeChatVerification setBusinessAccountName setBusinessAccountUsername setBusinessAccountBio
    setBusinessAccountProfilePhoto removeBusinessAccountProfilePhoto setBusinessAccountGiftSettings
    transferBusinessAccountStars convertGiftToStars upgradeGift transferGift deleteStory editEphemeralMessageText
    editEphemeralMessageMedia editEphemeralMessageCaption editEphemeralMessageReplyMarkup deleteEphemeralMessage
    approveSuggestedPost declineSuggestedPost createNewStickerSet addStickerToSet setStickerPositionInSet
    deleteStickerFromSet replaceStickerInSet setStickerEmojiList setStickerKeywords setStickerMaskPosition
    setStickerSetTitle setStickerSetThumbnail setCustomEmojiStickerSetThumbnail deleteStickerSet editUserStarSubscription
    setPassportDataErrors setGameScore`,
  ],
  [() => [], 'getUserPersonalChatMessages getForumTopicIconStickers getCustomEmojiStickers getGameHighScores'],
  [() => ({ total_count: 0, audios: [] }), 'getUserProfileAudios'],
  [() => ({ total_count: 0, gifts: [] }), 'getBusinessAccountGifts getUserGifts getChatGifts'],
  [() => ({ gifts: [] }), 'getAvailableGifts'],
  [() => ({ boosts: [] }), 'getUserChatBoosts'],
  [() => ({ amount: 0 }), 'getBusinessAccountStarBalance'],
  [
    ({ bot, sim }) => ({ chat: { id: bot.user.id, type: 'private' }, id: sim.nextFileNumber }),
    'postStory repostStory editStory',
  ],
  [({ sim }) => ({ inline_message_id: newQueryId(sim) }), 'answerWebAppQuery answerGuestQuery'],
  [({ sim }) => ({ id: newQueryId(sim), expiration_date: sim.clock.nowS() + 3600 }), 'savePreparedInlineMessage'],
  [({ sim }) => ({ id: newQueryId(sim) }), 'savePreparedKeyboardButton'],
  [
    ({ params }) => ({
      name: text(params, 'name'),
      title: text(params, 'name'),
      sticker_type: 'regular',
      stickers: [],
    }),
    'getStickerSet',
  ],
];

export const UNKEPT_METHODS: Record<string, Method> = Object.fromEntries(
  UNKEPT.flatMap(([answer, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, answer]),
  ),
);
