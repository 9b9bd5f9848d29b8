import { z } from 'zod';
import { flag, integer, jsonObject, strictInput, text } from './inputs.ts';

const CALLBACK_DATA_BYTES = 64;
const ROWS = 100;
const BUTTONS_IN_ROW = 12;
const INLINE_BUTTONS = 100;
const KEYBOARD_BUTTONS = 300;

const label = () => text({ min: 1, max: 256 }).describe('The text on the button.');
const switchOf = (meaning: string) => flag().describe(meaning).optional();
const address = () => text({ min: 1, max: 2048 });

const webApp = () => strictInput({ url: address().describe('The HTTPS address of the Web App.') });

const looks = {
  style: z.enum(['danger', 'success', 'primary']).describe('The colour of the button. [that of the client]').optional(),
  icon_custom_emoji_id: text({ min: 1, max: 64 }).describe('The custom emoji before the text.').optional(),
};

/** A button of this list does one of these. Buttons of games and invoices are not sent here. */
const inlineActions = {
  url: address().describe('Opens this address.').optional(),
  callback_data: text({ min: 1, max: CALLBACK_DATA_BYTES })
    .refine(
      (data) => new TextEncoder().encode(data).length <= CALLBACK_DATA_BYTES,
      `must have at most ${CALLBACK_DATA_BYTES} bytes`,
    )
    .describe('Sent to the bot in a callback query; at most 64 bytes.')
    .optional(),
  web_app: webApp().describe('Opens a Web App; in private chats only.').optional(),
  login_url: strictInput({
    url: address().describe('The HTTPS address that authorises the user.'),
    forward_text: text({ max: 256 }).describe('The text of the button in forwarded messages.').optional(),
    bot_username: text({ max: 64 }).describe('The bot that is used for the authorisation.').optional(),
    request_write_access: switchOf('Ask for the permission to send messages to the user.'),
  })
    .describe('Opens this address and authorises the user there.')
    .optional(),
  switch_inline_query: text({ max: 256 }).describe('Starts an inline query in a chat of choice.').optional(),
  switch_inline_query_current_chat: text({ max: 256 }).describe('Starts an inline query in this chat.').optional(),
  switch_inline_query_chosen_chat: strictInput({
    query: text({ max: 256 }).describe('The inline query.').optional(),
    allow_user_chats: switchOf('Private chats with people can be chosen.'),
    allow_bot_chats: switchOf('Private chats with bots can be chosen.'),
    allow_group_chats: switchOf('Groups and supergroups can be chosen.'),
    allow_channel_chats: switchOf('Channels can be chosen.'),
  })
    .describe('Starts an inline query in a chat of choice among these types.')
    .optional(),
  copy_text: strictInput({ text: text({ min: 1, max: 256 }).describe('The text to copy.') })
    .describe('Copies a text.')
    .optional(),
};

const inlineButton = strictInput({ text: label(), ...inlineActions, ...looks }).refine(
  (button) => countGiven(button, inlineActions) === 1,
  `must have exactly one of ${Object.keys(inlineActions).join(', ')}`,
);

const keyboardActions = {
  request_users: strictInput({
    request_id: integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).describe('Comes back with the users.'),
    user_is_bot: switchOf('Only bots, or only people.'),
    user_is_premium: switchOf('Only users with Premium, or only others.'),
    max_quantity: integer({ min: 1, max: 10 }).describe('How many can be chosen. [1]').optional(),
    request_name: switchOf('Also ask for the names.'),
    request_username: switchOf('Also ask for the usernames.'),
    request_photo: switchOf('Also ask for the photos.'),
  })
    .describe('Asks for users; in private chats only.')
    .optional(),
  request_contact: switchOf('Asks for the phone number of the user; in private chats only.'),
  request_location: switchOf('Asks for the location of the user; in private chats only.'),
  request_poll: strictInput({ type: z.enum(['quiz', 'regular']).describe('The kind of the poll. [any]').optional() })
    .describe('Asks for a poll; in private chats only.')
    .optional(),
  web_app: webApp().describe('Opens a Web App; in private chats only.').optional(),
};

const keyboardButton = strictInput({ text: label(), ...keyboardActions, ...looks }).refine(
  (button) => countGiven(button, keyboardActions) <= 1,
  `must have at most one of ${Object.keys(keyboardActions).join(', ')}`,
);

function rowsOf<Button extends z.ZodType>(button: Button, buttonsAtMost: number) {
  return z
    .array(z.array(button).max(BUTTONS_IN_ROW))
    .max(ROWS)
    .refine((rows) => rows.flat().length <= buttonsAtMost, `must have at most ${buttonsAtMost} buttons`);
}

const inlineRows = () =>
  rowsOf(inlineButton, INLINE_BUTTONS).describe('Rows of buttons under the message: at most 100 buttons, 12 in a row.');

/** The buttons of a message that is edited. */
export const inlineKeyboard = () => jsonObject({ inline_keyboard: inlineRows() });

/** The fields of each kind of reply markup beside the field that names it. */
const BESIDE: Record<string, readonly string[]> = {
  inline_keyboard: [],
  keyboard: ['is_persistent', 'resize_keyboard', 'one_time_keyboard', 'input_field_placeholder', 'selective'],
  remove_keyboard: ['selective'],
  force_reply: ['input_field_placeholder', 'selective'],
};

/** The reply markup of a new message: one of the four kinds of the Bot API. */
export const replyMarkup = () =>
  jsonObject({
    inline_keyboard: inlineRows().optional(),
    keyboard: rowsOf(keyboardButton, KEYBOARD_BUTTONS)
      .describe('Rows of buttons in place of the keyboard: at most 300 buttons, 12 in a row.')
      .optional(),
    remove_keyboard: z.literal(true, { error: 'must be true' }).describe('Removes the keyboard.').optional(),
    force_reply: z.literal(true, { error: 'must be true' }).describe('Shows the interface for a reply.').optional(),
    is_persistent: switchOf('Always show the keyboard when the regular one is hidden.'),
    resize_keyboard: switchOf('Fit the height of the keyboard.'),
    one_time_keyboard: switchOf('Hide the keyboard after its first use.'),
    input_field_placeholder: text({ min: 1, max: 64 }).describe('Shown in the empty input field.').optional(),
    selective: switchOf('Only for users who are mentioned, and for the author of the message that is answered.'),
  }).superRefine((markup, context) => {
    const kinds = Object.keys(BESIDE).filter((kind) => kind in markup);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      return context.addIssue(`must have exactly one of ${Object.keys(BESIDE).join(', ')}`);
    }
    for (const field of Object.keys(markup)) {
      if (field === kind || BESIDE[kind]?.includes(field)) continue;
      context.addIssue({ code: 'custom', path: [field], message: `does not go with ${kind}` });
    }
  });

function countGiven(button: object, actions: object): number {
  return Object.entries(button).filter(([name, value]) => name in actions && value !== undefined).length;
}
