import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { useWords } from '../../words/words.tsx';

/** Beside the badges of states: something is wrong with programs of a bot. */
export function TroubleBadge(): ReactNode {
  const { trouble: words } = useWords().fleet;
  return (
    <span className="state failing" title={words.hint}>
      <StateMark state="failing" />
      {words.title}
    </span>
  );
}

/** How many programs of the bot fail, and how many are parked. */
export function useTroubleText({ program_trouble: trouble }: BotResource): string {
  const { language, fleet } = useWords();
  const { failing = 0, parked = 0 } = trouble ?? {};
  const parts = [failing > 0 && fleet.trouble.failing(failing), parked > 0 && fleet.trouble.parked(parked)];
  return new Intl.ListFormat(language).format(parts.filter((part) => part !== false));
}
