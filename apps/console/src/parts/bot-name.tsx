import type { ReactNode } from 'react';
import { useBotName } from './bot-field.tsx';

export function BotName({ id }: { id: number }): ReactNode {
  // A damaged record of the history may name no bot.
  const name = useBotName(id === 0 ? undefined : String(id));
  return <bdi className="cut">{name || '–'}</bdi>;
}
