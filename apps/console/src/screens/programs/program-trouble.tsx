import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Ago } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { TryNow } from '../bot/try-now.tsx';
import { useProgramsWords } from './programs-words.ts';

export function ProgramTrouble({ program }: { program: ProgramResource }): ReactNode {
  const words = useProgramsWords().trouble;
  const { mode, parked, last_error: error, last_error_at: at } = program;
  const isFailing = mode === 'push' && (program.backend_state ?? 'ok') !== 'ok';
  if (!parked && error === '') return null;
  const reader = { reader: 'program', program: String(program.id) } as const;
  const search = parked
    ? ({ ...reader, reason: 'too_far_behind' } as const)
    : ({ ...reader, state: 'retrying' } as const);
  return (
    <div className={`notice program-trouble ${isFailing ? 'bad' : ''}`}>
      <p>{parked ? words.parked[mode] : error && <Told text={error} />}</p>
      {at && (
        <p className="muted">
          {parked ? words.parkedAt : words.lastError} <Ago at={at} />
        </p>
      )}
      {isFailing && <p>{words.helps}</p>}
      {(parked || isFailing) && (
        <div className="actions">
          {isFailing && program.enabled && <TryNow botId={program.bot_id} programId={program.id} />}
          <Link to="/bots/$id/deliveries" params={{ id: String(program.bot_id) }} search={search}>
            {parked ? words.givenUp : words.waits}
          </Link>
        </div>
      )}
    </div>
  );
}
