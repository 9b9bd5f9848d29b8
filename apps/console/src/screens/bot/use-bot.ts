import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../../call.ts';
import { REFRESH_MS } from '../../queries.ts';

/** The bot of the address; all views of a bot share one query. */
export function useBot() {
  const { id } = useParams({ from: '/bots/$id' });
  return useQuery({
    queryKey: ['bot', id],
    queryFn: ({ signal }) => call('showBot', { id }, signal),
    refetchInterval: REFRESH_MS,
  });
}
