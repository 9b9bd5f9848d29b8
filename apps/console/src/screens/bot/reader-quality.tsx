import type { ReaderResource } from '@flotilla/contract/readers.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Quality } from '../../parts/quality.tsx';
import { Spark } from '../../parts/spark.tsx';
import { useWords } from '../../words/words.tsx';

const EVERY_MS = 60_000;
const SENDS = /^(push|rules|program:\d+)$/;

/** How the attempts of a reader went in the last hour, and what it delivered in each hour of the last day. */
export function ReaderQuality({ bot_id, reader }: { bot_id: number; reader: ReaderResource }): ReactNode {
  const { bot: words } = useWords();
  const sends = SENDS.test(reader.reader) && reader.in_flight !== undefined;
  const day = useQuery({
    queryKey: ['activity', bot_id, 'of', reader.reader],
    queryFn: ({ signal }) => call('showActivity', { bot_id, reader: reader.reader, step: 'hour' }, signal),
    refetchInterval: EVERY_MS,
    enabled: sends,
  });
  if (!sends) return null;
  const delivered = day.data?.map((hour) => hour.delivered) ?? [];
  return (
    <span className="reader-quality" title={words.delivered24}>
      <Quality {...reader} />
      {delivered.some((count) => count > 0) && <Spark values={delivered} />}
    </span>
  );
}
