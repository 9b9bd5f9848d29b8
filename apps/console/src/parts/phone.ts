import { useMedia } from './media.ts';

const PHONE = '(max-width: 40rem), (max-width: 56rem) and (max-height: 30rem) and (pointer: coarse)';

/** True on a phone, also on one that lies on its side, and in a window as narrow. */
export function usePhone(): boolean {
  return useMedia(PHONE);
}
