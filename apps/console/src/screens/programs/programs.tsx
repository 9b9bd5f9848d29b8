import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { loadLate } from '../../load-late.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { useBot } from '../bot/use-bot.ts';
import { useColumns } from './program-columns.tsx';
import { useProgramsWords } from './programs-words.ts';
import { readerRows } from './reader-rows.ts';
import { usePrograms, useReaders } from './use-programs.ts';
import './programs.css';

const AddProgram = lazy(async () => ({ default: (await loadLate(() => import('./add-program.tsx'))).AddProgram }));
const ProgramDetails = lazy(async () => ({
  default: (await loadLate(() => import('./program-details.tsx'))).ProgramDetails,
}));
const route = getRouteApi('/bots/$id/programs');
const shows = () => {};

/** The programs of a bot beside what the bot itself reads; or the way to a new one. */
export function Programs(): ReactNode {
  const { data: bot } = useBot();
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  if (bot === undefined) return null;
  if (view !== 'add') return <ProgramList key={bot.id} botId={bot.id} />;
  const open = (id?: number) => void navigate({ search: id === undefined ? {} : { open: String(id) }, replace: true });
  return (
    <Suspense>
      <AddProgram key={bot.id} bot_id={bot.id} close={open} />
    </Suspense>
  );
}

function ProgramList({ botId }: { botId: number }): ReactNode {
  const words = useProgramsWords();
  const { open } = route.useSearch();
  const navigate = route.useNavigate();
  const programs = usePrograms(botId);
  const readers = useReaders(botId);
  const columns = useColumns(botId);
  useRowKeys('.table-body a.row-link');
  const rows = readerRows(programs.data ?? [], readers.data ?? []);
  const opened = rows.find(({ program }) => String(program?.id) === open);
  const close = () => void navigate({ search: {}, replace: true, resetScroll: false });
  return (
    <div className="programs">
      <header className="programs-head">
        <h2 className="unseen">{words.title}</h2>
        <p role="status" className="muted">
          {programs.data && words.count(programs.data.length)}
        </p>
        <Button kind="primary" onClick={() => void navigate({ search: { view: 'add' } })}>
          {words.add}
        </Button>
      </header>
      {programs.isError && <Failure error={programs.error} retry={() => void programs.refetch()} />}
      {readers.isError && !programs.isError && <Failure error={readers.error} retry={() => void readers.refetch()} />}
      {(rows.length > 0 || programs.isPending) && (
        <VirtualTable
          label={words.title}
          columns={columns}
          total={programs.isPending ? 3 : rows.length}
          rowAt={(index) => (programs.isPending ? undefined : rows[index])}
          keyOf={({ program, reader }) => (program === null ? reader.reader : program.id)}
          shows={shows}
          stale={programs.isPending}
        />
      )}
      {programs.data?.length === 0 && <Empty title={words.empty} hint={words.emptyHint} />}
      {opened?.program && (
        <Suspense>
          <ProgramDetails key={opened.program.id} program={opened.program} reader={opened.reader} close={close} />
        </Suspense>
      )}
    </div>
  );
}
