import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { botQuery } from '../../parts/bot-query.ts';
import { REFRESH_MS } from '../../queries.ts';

/** The bot of the address; all views of a bot share one query. */
export function useBot() {
  const { id } = useParams({ from: '/bots/$id' });
  return useQuery({ ...botQuery(id), refetchInterval: REFRESH_MS });
}
