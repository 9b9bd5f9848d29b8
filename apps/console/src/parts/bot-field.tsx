import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, callPage } from '../call.ts';
import { type Finder, PickField } from './pick-field.tsx';

const SHOWN = 8;

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

/** The name of a bot; its id while that is all that is known. */
export function useBotName(id: string | undefined): string {
  const bot = useQuery({ ...nameQuery(id ?? ''), enabled: id !== undefined });
  return id === undefined ? '' : (bot.data?.name ?? `#${id}`);
}

/** The query that `useBotName` shows. */
export function nameQuery(id: string) {
  return {
    queryKey: ['bot', id],
    queryFn: ({ signal }: { signal: AbortSignal }) => call('showBot', { id }, signal),
    // Whoever looks at an old entry may meet a bot that is gone.
    retry: false,
    staleTime: 60_000,
  } as const;
}

export const findBots: Finder = {
  key: ['bots', 'picked'],
  async find(q, signal) {
    const { rows } = await callPage('listBots', { ...(q === '' ? {} : { q }), limit: SHOWN }, signal);
    return rows.map(({ id, name, username }) => ({ id: String(id), name, note: `@${username}` }));
  },
};
