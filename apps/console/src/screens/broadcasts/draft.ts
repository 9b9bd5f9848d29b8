import type { BroadcastAudience } from '@flotilla/contract/broadcast-audience.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import { readFormatted } from '../../parts/formatted-text.ts';
import { type Content, parseModeOf } from '../inbox/compose/content.ts';
import { NO_MARKUP, replyMarkupOf } from '../inbox/compose/markup.ts';
import type { BroadcastsWords } from './broadcasts-words.ts';
import { unknownName } from './names.ts';

export const TYPES = ['private', 'group', 'supergroup', 'channel'] as const satisfies readonly ChatResource['type'][];
export const ACTIVES = ['any', '7', '30', '90', 'own', 'not7', 'not30', 'not90'] as const;
export const PREVIEWS = ['below', 'above', 'none'] as const;
/** The platform's limits. */
const [LONGEST_TEXT, LONGEST_CAPTION] = [4_096, 1_024];
const DAY_MS = 86_400_000;
const MOST_PER_SECOND = 1_000;
/** How much of a text is shown where its formatting is wrong. */
const NEAR = 24;

type FailedState = NonNullable<NonNullable<BroadcastAudience['failures_of']>['state']>;

/** A file that the platform keeps. `picture`: where the browser has it. */
export type DraftFile = { kind: FileKind; file_id: string; name: string; picture?: string };
export const FILE_METHODS = {
  photo: 'sendPhoto',
  video: 'sendVideo',
  animation: 'sendAnimation',
  audio: 'sendAudio',
  voice: 'sendVoice',
  document: 'sendDocument',
} as const;
export type FileKind = keyof typeof FILE_METHODS;

/** A broadcast as the form holds it. */
export type Draft = {
  bot: string | undefined;
  name: string;
  by: 'types' | 'ids' | 'list' | 'failures';
  types: readonly ChatResource['type'][];
  /** With commas between them. */
  tags: string;
  languages: readonly string[];
  list: string | undefined;
  /** The chats that did not get another broadcast, for one reason or any. */
  failures: { id: number; state?: FailedState | undefined; error?: string | undefined } | undefined;
  file: DraftFile | null;
  active: (typeof ACTIVES)[number];
  since: string | undefined;
  exclude_blocked: boolean;
  ids: string;
  content: Content;
  preview: (typeof PREVIEWS)[number];
  silent: boolean;
  per_second: string;
  when: 'now' | 'later';
  send_at: string | undefined;
};
export type DraftFaults = { [Name in keyof Draft]?: string };

export function newDraft(bot: string | undefined): Draft {
  return {
    ...{ bot, name: '', by: 'types', types: ['private'], tags: '', active: 'any', since: undefined },
    ...{ languages: [], list: undefined, failures: undefined, file: null },
    ...{ exclude_blocked: true, ids: '', content: { text: '', format: 'plain', markup: NO_MARKUP }, preview: 'below' },
    ...{ silent: false, per_second: '', when: 'now', send_at: undefined },
  };
}

/** The audience as the api takes it; null while it names no chats. */
export function audienceOf(draft: Draft, now: Date) {
  const { by, types, tags, active, since, exclude_blocked } = draft;
  const common = { exclude_blocked };
  if (by === 'ids') {
    const ids = listed(draft.ids);
    return ids.length === 0 || ids.some((id) => !isId(id)) ? null : { chat_ids: ids.map(Number), ...common };
  }
  const [named, moment] = [listed(tags), activeOf(active, since, now)];
  const narrowed = {
    ...common,
    ...(named.length === 0 ? {} : { tags: named }),
    ...(draft.languages.length === 0 ? {} : { language_codes: [...draft.languages] }),
    ...(moment === undefined ? {} : { [active.startsWith('not') ? 'inactive_since' : 'active_since']: moment ?? '' }),
  };
  if (moment === null) return null;
  if (by === 'list') return draft.list === undefined ? null : { list_id: Number(draft.list), ...narrowed };
  if (by === 'failures') {
    const { id, ...reason } = draft.failures ?? { id: 0 };
    return id === 0 ? null : { failures_of: { broadcast_id: id, ...reason }, ...narrowed };
  }
  return types.length === 0 ? null : { chat_types: [...types], ...narrowed };
}

/** The same all day, so that what is counted need not be counted again. */
function activeOf(active: Draft['active'], since: string | undefined, now: Date): string | null | undefined {
  if (active === 'any') return undefined;
  if (active === 'own') return since ?? null;
  return new Date(
    Math.floor(now.getTime() / DAY_MS) * DAY_MS - Number(active.replace('not', '')) * DAY_MS,
  ).toISOString();
}

/** The call that every chat gets. */
export function messageOf({ content, preview, silent, file }: Draft): {
  method: string;
  params: Record<string, unknown>;
} {
  const reply_markup = replyMarkupOf({ ...content.markup, kind: 'inline' });
  const common = {
    ...(silent ? { disable_notification: true } : {}),
    ...(reply_markup && { reply_markup }),
  };
  if (file !== null) {
    const caption = content.text === '' ? {} : { caption: content.text, ...parseModeOf(content.format) };
    return { method: FILE_METHODS[file.kind], params: { [file.kind]: file.file_id, ...caption, ...common } };
  }
  return {
    method: 'sendMessage',
    params: {
      text: content.text,
      ...parseModeOf(content.format),
      ...(preview === 'none' ? { link_preview_options: { is_disabled: true } } : {}),
      ...(preview === 'above' ? { link_preview_options: { show_above_text: true } } : {}),
      ...common,
    },
  };
}

export type BroadcastInput = NonNullable<ReturnType<typeof broadcastOf>>;

/** The inputs of the call; null while the draft is not whole. */
export function broadcastOf(draft: Draft, now: Date) {
  const { bot, name, per_second, when, send_at } = draft;
  const audience = audienceOf(draft, now);
  if (bot === undefined || audience === null) return null;
  return {
    ...{ bot_id: bot, name: name.trim(), audience, ...messageOf(draft) },
    ...(per_second === '' ? {} : { per_second: Number(per_second) }),
    ...(when === 'later' && send_at !== undefined ? { send_at } : {}),
  };
}

/** The faults that keep the draft from being sent. */
export function faultsOfDraft(draft: Draft, words: BroadcastsWords, now: Date): DraftFaults {
  const { form } = words;
  const { bot, name, by, types, active, since, per_second, when, send_at } = draft;
  const wrongId = listed(draft.ids).find((id) => !isId(id));
  const faults: DraftFaults = {
    ...(bot === undefined && { bot: form.botRequired }),
    ...(name.trim() === '' && { name: form.nameRequired }),
    ...(by === 'types' && types.length === 0 && { types: form.kindRequired }),
    ...(by === 'list' && draft.list === undefined && { list: form.listRequired }),
    ...(by !== 'ids' && active === 'own' && since === undefined && { since: form.sendAtRequired }),
    ...(by === 'ids' && listed(draft.ids).length === 0 && { ids: form.idsRequired }),
    ...(by === 'ids' && wrongId !== undefined && { ids: form.idsWrong(wrongId) }),
    ...contentFault(draft, words),
  };
  const pace = Number(per_second);
  if (per_second !== '' && !(Number.isInteger(pace) && pace >= 1 && pace <= MOST_PER_SECOND)) {
    faults.per_second = form.perSecondWrong;
  }
  if (when === 'later' && !(send_at !== undefined && Date.parse(send_at) > now.getTime())) {
    faults.send_at = form.sendAtRequired;
  }
  return faults;
}

/** Of the message alone, which is enough for a test. */
export function contentFault({ content, file }: Draft, { form }: BroadcastsWords): Pick<DraftFaults, 'content'> {
  if (content.text.trim() === '' && file === null) return { content: form.textRequired };
  const length = file === null ? LONGEST_TEXT : LONGEST_CAPTION;
  if (content.text.length > length) return { content: form.tooLong(length) };
  const unknown = unknownName(content.text);
  if (unknown !== null) return { content: form.unknownName(unknown) };
  const formatted = readFormatted(content.text, parseModeOf(content.format).parse_mode);
  if ('text' in formatted) return {};
  const { wrongAt } = formatted;
  const from = Math.max(0, Math.min(wrongAt, content.text.length - NEAR / 2));
  return { content: form.wrongFormat(`“${content.text.slice(from, from + NEAR)}”`) };
}

/** Texts that stand apart by commas, spaces of lines or semicolons. */
function listed(text: string): string[] {
  return [...new Set(text.split(/[,;\n]/).map((one) => one.trim()))].filter((one) => one !== '');
}

function isId(text: string): boolean {
  return /^-?[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}
