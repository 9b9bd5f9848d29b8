import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import type { EventKind } from '@flotilla/contract/events.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { isMasked } from '../../parts/is-masked.ts';
import type { Faults } from '../../parts/use-form.ts';
import type { Words } from '../../words/en.ts';
import type { EventsWords } from './events-words.ts';

/** An event sink as the form holds it. */
export type SinkDraft = {
  name: string;
  target: 'chat' | 'url';
  bot: string | undefined;
  chat: string;
  url: string;
  /** null: all. */
  kinds: readonly EventKind[] | null;
  /** Only of a URL. */
  audit: boolean;
  awaits_minutes: string;
  enabled: boolean;
};

export function draftOf(sink: EventSinkResource | null): SinkDraft {
  return {
    name: sink?.name ?? '',
    target: sink?.url === undefined ? 'chat' : 'url',
    bot: sink?.bot_id === undefined ? undefined : String(sink.bot_id),
    chat: sink?.chat_id === undefined ? '' : String(sink.chat_id),
    url: sink?.url ?? '',
    kinds: (sink?.kinds as EventKind[] | null | undefined) ?? null,
    audit: sink?.audit ?? false,
    awaits_minutes: String(sink?.awaits_minutes ?? 15),
    enabled: sink?.enabled ?? true,
  };
}

/** The inputs of the call. An empty field is sent too, so that the api refuses it. */
export function inputOf({ name, target, bot, chat, url, kinds, audit, awaits_minutes, enabled }: SinkDraft) {
  return {
    ...{ name: name.trim(), enabled, kinds: kinds === null ? null : [...kinds] },
    ...{ awaits_minutes: awaits_minutes.trim(), audit: audit && target === 'url' },
    ...(target === 'url' ? { url: url.trim() } : { bot_id: bot ?? '', chat_id: chat.trim() }),
  };
}

export function changesOf(draft: SinkDraft, known: SinkDraft) {
  return changedFields(inputOf(draft), inputOf(known));
}

/** The faults that the page finds before it asks the api. */
export function localFaults(draft: SinkDraft, known: SinkDraft, words: Words, { sinks }: EventsWords): Faults {
  const { name, target, bot, chat, kinds } = draft;
  const url = draft.url.trim();
  const blank = (text: string | undefined) => (text?.trim() ? undefined : words.errors.required);
  const urlFault = url !== known.url && isMasked(url) ? sinks.form.urlMasked : blank(url);
  return {
    name: blank(name),
    ...(target === 'url' ? { url: urlFault } : { bot_id: blank(bot), chat_id: blank(chat) }),
    kinds: kinds?.length === 0 && !(draft.audit && target === 'url') ? sinks.form.noKind : undefined,
  };
}
