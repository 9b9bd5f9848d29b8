import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Column } from '../../parts/virtual-table.tsx';
import { Behind, ReaderState } from '../bot/reader-state.tsx';
import { type ProgramsWords, useProgramsWords } from './programs-words.ts';
import type { ReaderRow } from './reader-rows.ts';
import { Sees } from './sees.tsx';

export function useColumns(botId: number): Column<ReaderRow>[] {
  const words = useProgramsWords();
  const { columns } = words;
  return [
    {
      name: 'name-cell',
      card: 'top-start',
      title: columns.name,
      width: 'minmax(9rem, 1.5fr)',
      cell: (row) => <NameOf row={row} botId={botId} />,
    },
    {
      name: 'mode-cell',
      title: columns.mode,
      width: '7rem',
      cell: (row) => <span className="muted">{words.modes[modeOf(row)]}</span>,
    },
    {
      name: 'sees-cell',
      card: 'bottom-start',
      title: columns.sees,
      width: 'minmax(8rem, 1.6fr)',
      cell: ({ program }) => (
        <span className="muted">{program === null ? words.all : <Sees program={program} where="list" />}</span>
      ),
    },
    {
      name: 'state-cell',
      card: 'top-end',
      title: columns.state,
      width: '13.75rem',
      cell: ({ program, reader }) => (
        <ReaderState state={reader?.state ?? program?.state ?? 'ok'} isProgram={program !== null} />
      ),
    },
    {
      name: 'progress-cell',
      card: 'bottom-end',
      title: columns.progress,
      width: 'minmax(9rem, 2fr)',
      cell: ({ reader }) => reader && <Behind reader={reader} />,
    },
  ];
}

function modeOf({ program, reader }: ReaderRow): keyof ProgramsWords['modes'] {
  return program?.mode ?? (reader?.reader === 'push' ? 'push' : 'pull');
}

function NameOf({ row: { program, reader }, botId }: { row: ReaderRow; botId: number }): ReactNode {
  const words = useProgramsWords();
  if (program === null) return <span className="muted">{ownName(reader.reader, words)}</span>;
  return (
    <Link
      to="/bots/$id/programs"
      params={{ id: String(botId) }}
      search={{ open: String(program.id) }}
      replace
      resetScroll={false}
      className="cut row-link"
    >
      <bdi>{program.name}</bdi>
    </Link>
  );
}

function ownName(reader: string, { own }: ProgramsWords): string {
  if (reader === 'push' || reader === 'pull') return own[reader];
  return own.consumer(reader.replace('consumer:', ''));
}
