import { effectOf, REPLY_FIELDS } from '@flotilla/contract/bot-api/parameters.ts';
import { documentedParameters } from '@flotilla/testing/documented-parameters.ts';
import { expect, test } from '@jest/globals';
import { hasContent, hasPrice, spendsStars } from './method-parameters.ts';

// The request of a reader names the fields of all updates, and is answered here.
const DOCUMENTED = documentedParameters().filter(({ name }) => name !== 'allowed_updates');
const METHODS = [...new Set(DOCUMENTED.map(({ of }) => of))];

/** Why a parameter that seems to name another place is plain. */
const STAYS: Record<string, string> = {
  actor_chat_id: 'who reacted in the chat of the call',
  sender_chat_id: 'who is banned in the chat of the call',
  new_owner_chat_id: 'of transferGift, which has no chat_id',
  from_story_id: 'of repostStory, which a token limited to chats may not call',
  story_id: 'of methods of business accounts, which have no chat_id',
  scope: 'of the lists of commands, which have no chat_id',
};

/** Why a parameter that speaks of money does not spend what is the bot's. */
const COSTS_NOTHING: Record<string, string> = {
  ...of('which chat it is', 'chat_id business_connection_id'),
  ...of('the right to write without paying, or a button on which others pay', 'can_manage_chat rights reply_markup'),
  ...of('bots cannot give paid reactions', 'reaction areas button'),
  ...of('of methods of the group payments, or what others pay there', 'prices currency provider_token payload'),
  ...of('the same', 'max_tip_amount suggested_tip_amounts is_flexible start_parameter shipping_options'),
  ...of('the same', 'need_name need_phone_number need_email need_shipping_address'),
  ...of('the same', 'send_phone_number_to_provider send_email_to_provider'),
  ...of('what others pay to be in a chat', 'subscription_price subscription_period'),
  ...of('of methods that spend Stars, or the price of media for others', 'star_count pay_for_upgrade owned_gift_id'),
  ...of('a word for something else', 'cache_time open_period exclude_from_blockchain sort_by_price'),
  ...of('an invoice in it is looked for', 'result results'),
};

function of(reason: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, reason]));
}

test('every parameter of every method is classified', () => {
  expect(METHODS.length).toBeGreaterThan(170);
  expect(DOCUMENTED.filter(({ name }) => effectOf(name) === undefined).map(({ of, name }) => `${of} ${name}`)).toEqual(
    [],
  );
});

test('the methods with files, inline results or prices are known, and those whose ones are not documented', () => {
  const documented = METHODS.map((method) => {
    const effects = DOCUMENTED.filter((one) => one.of === method).map(({ name }) => effectOf(name));
    const content = effects.includes('content');
    return { method, content, price: !content && effects.includes('spending') };
  });
  const known = METHODS.map((method) => {
    const lower = method.toLowerCase();
    return { method, content: hasContent(lower), price: hasPrice(lower) };
  });
  const differing = known.filter((one, at) => JSON.stringify(one) !== JSON.stringify(documented[at]));
  expect(differing).toEqual([
    { method: 'setWebhook', content: false, price: false },
    // The server reads a suggested post, a paid broadcast, and media of an invoice where the documents have none.
    { method: 'forwardMessages', content: false, price: true },
    { method: 'copyMessages', content: false, price: true },
    { method: 'sendChecklist', content: false, price: true },
    { method: 'sendInvoice', content: true, price: false },
    { method: 'createInvoiceLink', content: true, price: false },
  ]);
});

test('every parameter that is a file, or has one in it, is looked through', () => {
  const isFile = ({ type, text }: { type: string; text: string }) =>
    /InputFile/.test(type) || text.includes('attach://');
  const files = DOCUMENTED.filter((one) => [one, ...one.fields].some(isFile));
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter(({ name }) => effectOf(name) !== 'content').map(({ of, name }) => `${of} ${name}`)).toEqual([]);
});

test('every parameter that names a chat or a message elsewhere is judged, or has a reason why not', () => {
  const isPlace = ({ name }: { name: string }) => /chat_id|connection_id|inline_message_id|story_id/.test(name);
  const places = DOCUMENTED.filter((one) => [one, ...one.fields].some(isPlace));
  const judged = ['chat', 'elsewhere', 'reply'];
  const others = new Set(places.map(({ name }) => name).filter((name) => !judged.includes(effectOf(name) ?? '')));
  expect([...others].sort()).toEqual(Object.keys(STAYS).sort());
  const inReplies = DOCUMENTED.find(({ name }) => name === 'reply_parameters')!.fields;
  const ofReply = inReplies.filter((field) => field.of === 'ReplyParameters').map(({ name }) => name);
  expect([...REPLY_FIELDS].sort()).toEqual(ofReply.sort());
});

test('every parameter that speaks of money costs nothing, or is refused without a grant', () => {
  const isMoney = ({ name, text }: { name: string; text: string }) =>
    /\bstars?\b|\bton\b|price|amount|\bpaid\b|\bpay\b/i.test(`${name.replaceAll('_', ' ')} ${text}`);
  const money = DOCUMENTED.filter((one) => [one, ...one.fields].some(isMoney)).map(({ name }) => name);
  const others = new Set(money.filter((name) => effectOf(name) !== 'spending'));
  expect([...others].sort()).toEqual(Object.keys(COSTS_NOTHING).sort());
  const spending = METHODS.filter((method) => spendsStars(method.toLowerCase()));
  expect(spending.sort()).toEqual(
    ['giftPremiumSubscription', 'refundStarPayment', 'sendGift', 'transferBusinessAccountStars', 'transferGift'].concat(
      'upgradeGift',
    ),
  );
});
