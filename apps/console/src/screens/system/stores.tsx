import type { SystemResource } from '@flotilla/contract/system.ts';
import type { ReactNode } from 'react';
import { Facts } from '../../parts/facts.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { useSystemWords } from './system-words.ts';
import { Taken } from './taken.tsx';

export function Postgres({ postgres }: { postgres: SystemResource['postgres'] }): ReactNode {
  const words = useSystemWords();
  const bytes = useBytes();
  const { facts } = words;
  return (
    <section className="panel" aria-labelledby="postgres">
      <h2 id="postgres">
        {words.postgres} {postgres && <Taken at={postgres.taken_at} />}
      </h2>
      {postgres === undefined ? (
        <p className="fault">{words.away}</p>
      ) : (
        <Facts
          rows={[
            [facts.version, postgres.version],
            [facts.size, bytes(postgres.database_bytes)],
            [facts.connections, words.of(String(postgres.connections), String(postgres.connections_max))],
            [facts.newest, postgres.migrations.newest],
            [facts.migrations, <Migrations key="migrations" {...postgres.migrations} />],
          ]}
        />
      )}
    </section>
  );
}

function Migrations({ pending, unknown }: { pending: number; unknown: number }): ReactNode {
  const words = useSystemWords();
  if (pending === 0 && unknown === 0) return words.migrated;
  return (
    <strong className="fault">
      {[pending > 0 && words.pendingMigrations(pending), unknown > 0 && words.unknownMigrations(unknown)]
        .filter(Boolean)
        .join(', ')}
    </strong>
  );
}

export function Redis({ redis }: { redis: SystemResource['redis'] }): ReactNode {
  const words = useSystemWords();
  const bytes = useBytes();
  const number = useNumber();
  const { facts } = words;
  const flag = (on: boolean | undefined, good: boolean) =>
    on === undefined ? words.provider : <span className={on === good ? '' : 'fault'}>{on ? words.yes : words.no}</span>;
  return (
    <section className="panel" aria-labelledby="redis">
      <h2 id="redis">
        {words.redis} {redis && <Taken at={redis.taken_at} />}
      </h2>
      {redis === undefined ? (
        <p className="fault">{words.away}</p>
      ) : (
        <Facts
          rows={[
            [facts.version, redis.versions.join(', ')],
            [facts.used, bytes(redis.used_bytes)],
            [facts.full, `${number(Math.round(redis.memory_share * 100))} %`],
            [
              facts.pressure,
              <span key="pressure" className={redis.memory_pressure === 'relaxed' ? '' : 'fault'}>
                {words.pressures[redis.memory_pressure]}
              </span>,
            ],
            [facts.connections, number(redis.connections)],
            [facts.durable, flag(redis.durable, true)],
            [facts.evicts, flag(redis.evicts, false)],
          ]}
        />
      )}
    </section>
  );
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of bytes in the largest unit that fits. */
function useBytes(): (bytes: number) => string {
  const { language } = useWords();
  return (bytes) => {
    const power = Math.min(SIZES.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1_000)));
    const format = { style: 'unit', unit: SIZES[power]!, maximumFractionDigits: power > 2 ? 1 : 0 } as const;
    return new Intl.NumberFormat(language, format).format(bytes / 1_000 ** power);
  };
}
