import { useQuery } from '@tanstack/react-query';
import { call } from '../call.ts';

/** The API root for programs; undefined until it is known. */
export function useApiRoot(): string | undefined {
  const root = useQuery({
    queryKey: ['api-root'],
    queryFn: ({ signal }) => call('showApiRoot', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { protocol, host } = window.location;
  return root.data && `${protocol}//${root.data.host ?? host}${root.data.path}`;
}
