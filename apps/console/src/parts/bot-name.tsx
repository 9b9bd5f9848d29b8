import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useBotName } from './bot-field.tsx';

export function BotName({ id }: { id: number }): ReactNode {
  // A damaged record of the history may name no bot.
  const name = useBotName(id === 0 ? undefined : String(id));
  return <bdi className="cut">{name || '–'}</bdi>;
}

/** The name, which leads to the bot. */
export function BotLink({ id }: { id: number }): ReactNode {
  return (
    <Link to="/bots/$id" params={{ id: String(id) }} className="cut">
      <BotName id={id} />
    </Link>
  );
}
