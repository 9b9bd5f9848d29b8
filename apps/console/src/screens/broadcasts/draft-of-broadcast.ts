import type { BroadcastAudience } from '@flotilla/contract/broadcast-audience.ts';
import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import { FORMATS } from '../inbox/compose/content.ts';
import { markupOf } from '../inbox/compose/markup.ts';
import { type Draft, type DraftFile, FILE_METHODS, type FileKind, newDraft } from './draft.ts';

/** A broadcast that has not begun, as the form holds it; null: it says what the form has no field for. */
export function draftOfBroadcast(broadcast: BroadcastResource): Draft | null {
  const { params, method, audience, per_second, send_at } = broadcast;
  const file = fileOf(method, params);
  if (method !== 'sendMessage' && file === null) return null;
  const { text, caption, parse_mode: mode, reply_markup: markup, link_preview_options: options, ...rest } = params;
  const { disable_notification: silent, [file?.kind ?? '']: _file, ...unknown } = rest;
  if (Object.keys(unknown).length > 0) return null;
  const preview = (options ?? {}) as { is_disabled?: boolean; show_above_text?: boolean };
  const { inline_keyboard: buttons } = (markup ?? {}) as { inline_keyboard?: MessageResource['buttons'] };
  return {
    ...newDraft(String(broadcast.bot_id)),
    ...ofAudience(audience),
    ...{ name: broadcast.name, file, silent: silent === true, per_second: String(per_second ?? '') },
    content: {
      text: String(text ?? caption ?? ''),
      format: FORMATS.find((format) => format === mode) ?? 'plain',
      markup: markupOf(buttons),
    },
    preview: preview.is_disabled ? 'none' : preview.show_above_text ? 'above' : 'below',
    ...(send_at === undefined ? { when: 'now' } : { when: 'later', send_at }),
  };
}

function fileOf(method: string, params: BroadcastResource['params']): DraftFile | null {
  const kind = (Object.keys(FILE_METHODS) as FileKind[]).find((one) => FILE_METHODS[one] === method);
  if (kind === undefined || typeof params[kind] !== 'string') return null;
  return { kind, file_id: params[kind], name: '' };
}

function ofAudience(audience: BroadcastAudience): Partial<Draft> {
  const { chat_ids: ids, list_id: list, failures_of: failures, chat_types: types, tags, language_codes } = audience;
  const { broadcast_id: former = 0, ...reason } = failures ?? {};
  return {
    by: ids ? 'ids' : list ? 'list' : failures ? 'failures' : 'types',
    ids: (ids ?? []).join('\n'),
    types: types ?? [],
    tags: (tags ?? []).join(', '),
    languages: language_codes ?? [],
    list: list === undefined ? undefined : String(list),
    failures: failures && { id: former, ...reason },
    exclude_blocked: audience.exclude_blocked,
    ...(audience.active_since === undefined ? {} : { active: 'own', since: audience.active_since }),
  };
}
