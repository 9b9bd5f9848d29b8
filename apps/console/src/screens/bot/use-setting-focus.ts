import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSettingsWords } from './settings-words.ts';

/** Goes to the setting that the address names, by the word that it has on the screen. */
export function useSettingFocus(isReady: boolean): void {
  const words = useSettingsWords();
  const setting = useLocation({ select: ({ hash }) => hash });
  const plain = Object.entries(words.settings).find(([one]) => one === setting);
  const name = plain?.[1].label ?? (Object.hasOwn(words, setting) ? words[setting as keyof typeof words] : undefined);
  useEffect(() => {
    if (!isReady || typeof name !== 'string') return;
    const named = [...document.querySelectorAll<HTMLElement>('.settings label, .bot-acts strong')].find((label) =>
      label.textContent?.trim().startsWith(name),
    );
    const field = named instanceof HTMLLabelElement ? named.control : named?.closest('li')?.querySelector('button');
    (field ?? named)?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
  }, [isReady, name]);
}
