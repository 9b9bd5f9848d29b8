import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { callPage } from '../call.ts';
import { botQuery } from './bot-query.ts';
import { type Finder, PickField } from './pick-field.tsx';

const SHOWN = 8;
/** So many are asked for where only some are offered. */
const LOOKED_THROUGH = 500;

type BotFieldProps = {
  label: string;
  botId: string | undefined;
  choose: (botId: string | undefined) => void;
  placeholder?: string;
  hint?: string;
  fault?: string | null | undefined;
};

/** One of the bots that the account sees. */
export function BotField({ botId, choose, ...rest }: BotFieldProps): ReactNode {
  const name = useBotName(botId);
  return <PickField {...rest} chosen={name} finder={findBots} choose={(option) => choose(option?.id)} />;
}

/** The name of a bot; its id where nobody knows it any more. */
export function useBotName(id: string | undefined): string {
  const bot = useQuery({ ...nameQuery(id ?? ''), enabled: id !== undefined });
  return id === undefined ? '' : (bot.data?.name ?? (bot.isPending ? '…' : `#${id}`));
}

/** The query that `useBotName` shows. */
export function nameQuery(id: string) {
  return {
    ...botQuery(id),
    // Whoever looks at an old entry may meet a bot that is gone.
    retry: false,
    staleTime: 60_000,
  };
}

/** The bots that the account sees, or those among them that are named. */
export function botFinder(among: readonly number[] | null): Finder {
  return {
    key: ['bots', 'picked', among],
    async find(q, signal) {
      const limit = among === null ? SHOWN : LOOKED_THROUGH;
      const { rows } = await callPage('listBots', { ...(q === '' ? {} : { q }), limit }, signal);
      const offered = rows.filter(({ id }) => among === null || among.includes(id)).slice(0, SHOWN);
      return offered.map(({ id, name, username }) => ({ id: String(id), name, note: `@${username}` }));
    },
  };
}

const findBots = botFinder(null);
