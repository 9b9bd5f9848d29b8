import { skipToken, useQuery } from '@tanstack/react-query';

type Opened<Row> = {
  /** The name of the list. */
  of: string;
  /** The id in the address; undefined: no row is open. */
  open: string | undefined;
  /** The rows that are loaded so far. */
  rows: readonly Row[];
  /** Asks for that row alone. */
  find: (id: string, signal: AbortSignal) => Promise<readonly Row[]>;
};

/**
 * The row that the address says is open, also if the list has not come to it. It stays as it was shown, also when the list has
 * gone on. Undefined while it is loaded; null if it is not there.
 */
export function useOpenedRow<Row extends { id: number }>({
  of,
  open,
  rows,
  find,
}: Opened<Row>): Row | null | undefined {
  const opened = useQuery({
    queryKey: [of, 'opened', open],
    queryFn: open === undefined ? skipToken : async ({ signal }) => (await find(open, signal))[0] ?? null,
    initialData: () => rows.find(({ id }) => String(id) === open),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return open === undefined ? undefined : opened.data;
}
