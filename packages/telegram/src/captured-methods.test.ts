import { documentedMethods } from '@flotilla/testing/documented-methods.ts';
import { expect, test } from '@jest/globals';
import { capturedMethod } from './captured-methods.ts';

/** Documented methods of which the history keeps nothing: add a new one here, or to the captured ones. */
const NOTHING_TO_KEEP = {
  reads: /^get/,
  answersQueries: /^answer/,
  ofTheBotItself: /^(set|delete|remove)My|^(set|delete)Webhook$|^logOut$|^close$|^setChatMenuButton$/,
  ofManagedBots: /ManagedBot/,
  ofBusinessAccounts: /BusinessAccount|^readBusinessMessage$|Story$/,
  ofStickers: /(?<!Chat|send)Sticker/,
  ofGiftsAndPayments: /Gift|^giftPremium|^createInvoiceLink$|^refundStarPayment$|^editUserStarSubscription$/,
  ofUsers: /^setUserEmojiStatus$|^(verify|remove)(User|Chat)|^setPassportDataErrors$/,
  ofDraftsAndActions: /^send(Rich)?MessageDraft$|^sendChatAction$|^sendChatJoinRequestWebApp$/,
  ofReactions: /Reactions?$/,
  prepares: /^savePrepared/,
  // The update about the poll says the same.
  ofPolls: /^stopPoll$/,
};

test('every documented method is captured, or known to leave nothing in the history', () => {
  const patterns = Object.values(NOTHING_TO_KEEP);
  const unclassified = documentedMethods().filter(({ name }) => {
    const captured = capturedMethod(name.toLowerCase());
    const isCaptured = captured !== undefined && captured.effect !== 'identity';
    return isCaptured === patterns.some((pattern) => pattern.test(name));
  });
  expect(unclassified.map(({ name }) => name)).toEqual([]);
});

test('a documented method that answers messages is captured for them', () => {
  const answersMessages = documentedMethods().filter(
    ({ name, result }) => /^Message(\[\])?(\|true)?$/.test(result) && !name.startsWith('get'),
  );
  expect(answersMessages.length).toBeGreaterThan(20);
  for (const { name } of answersMessages) {
    expect([name, capturedMethod(name.toLowerCase())]).toEqual([name, { effect: 'messages' }]);
  }
});
