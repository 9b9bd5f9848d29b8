import type { MessageResource as Message } from '@flotilla/contract/messages.ts';

/** A button as it is edited. `other` ones, such as Web Apps, are kept as they are. */
export type EditedButton = {
  key: number;
  text: string;
  kind: 'callback' | 'url' | 'other';
  value: string;
  raw?: object;
};
/** The buttons of a message that is written. */
export type Markup = { kind: 'inline' | 'keyboard'; rows: EditedButton[][] };

export const NO_MARKUP: Markup = { kind: 'inline', rows: [] };

let made = 0;
/** The key is for React only: texts may be equal. */
export function newButton(): EditedButton {
  made += 1;
  return { key: made, text: '', kind: 'callback', value: '' };
}

export function markupOf(buttons: Message['buttons']): Markup {
  const edited = ({ text, url, callback_data: data, ...rest }: NonNullable<Message['buttons']>[number][number]) => {
    const isPlain = Object.keys(rest).length === 0;
    if (isPlain && url !== undefined) return { ...newButton(), text, kind: 'url' as const, value: url };
    if (isPlain && data !== undefined) return { ...newButton(), text, value: data };
    const raw = {
      ...rest,
      ...(url === undefined ? {} : { url }),
      ...(data === undefined ? {} : { callback_data: data }),
    };
    return { ...newButton(), text, kind: 'other' as const, raw };
  };
  return { kind: 'inline', rows: (buttons ?? []).map((row) => row.map(edited)) };
}

/** The same buttons under keys of this page. */
export function rekeyed({ kind, rows }: Markup): Markup {
  return { kind, rows: rows.map((row) => row.map((button) => ({ ...button, key: newButton().key }))) };
}

export function countButtons({ rows }: Markup): number {
  return rows.flat().length;
}

/** The form of the Bot API; undefined without any button. */
export function replyMarkupOf({ kind, rows }: Markup) {
  const full = rows.filter((row) => row.length > 0);
  if (full.length === 0) return undefined;
  if (kind === 'keyboard') {
    return { keyboard: full.map((row) => row.map(({ text }) => ({ text }))), resize_keyboard: true };
  }
  return { inline_keyboard: full.map((row) => row.map(inlineButton)) };
}

function inlineButton({ text, kind, value, raw }: EditedButton) {
  switch (kind) {
    case 'url':
      return { text, url: value };
    case 'callback':
      // Most often the answer of a button is its text.
      return { text, callback_data: value || text };
    case 'other':
      return { text, ...raw };
  }
}
