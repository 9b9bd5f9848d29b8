import { usePreferences } from '../preferences.tsx';
import { useWords } from '../words/words.tsx';
import { useInstallation } from './use-installation.ts';

/**
 * In a sandbox: the address of the page on which a person writes to this bot, or to the bot of the sandbox, in the
 * language and the theme of this page.
 */
export function useSandboxPage(username: string | undefined): string | undefined {
  const words = useWords();
  const { theme } = usePreferences();
  const { sandbox_url } = useInstallation();
  if (sandbox_url === undefined) return undefined;
  const to = username === undefined ? '' : `&bot=${username}`;
  return `${sandbox_url}/?lang=${words.language}&theme=${theme}${to}`;
}
