import type { MessageResource } from '@flotilla/contract/messages.ts';
import { given, readId, readMoment, readText } from '../../parts/filters.tsx';

export type MediaType = NonNullable<MessageResource['media_type']>;

export const MEDIA_TYPES = [
  'photo',
  'video',
  'animation',
  'sticker',
  'voice',
  'audio',
  'document',
  'video_note',
  'callback',
] as const satisfies readonly MediaType[];

export type SearchAddress = {
  q?: string;
  bot?: string;
  chat?: string;
  user?: string;
  type?: MediaType;
  from?: string;
  to?: string;
};

export function readSearchAddress(search: Record<string, unknown>): SearchAddress {
  return given({
    q: readText(search.q),
    bot: readId(search.bot),
    chat: readId(search.chat),
    user: readId(search.user),
    type: MEDIA_TYPES.find((one) => one === search.type),
    from: readMoment(search.from),
    to: readMoment(search.to),
  });
}

/** The filters as the api takes them. */
export function inputsOf({ user, type, from, to }: SearchAddress) {
  return given({
    user_id: user === undefined ? undefined : Number(user),
    media_type: type,
    from: from === undefined ? undefined : Date.parse(from) / 1_000,
    to: to === undefined ? undefined : Date.parse(to) / 1_000,
  });
}
