import { Link } from '@tanstack/react-router';
import type { CSSProperties, ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useTold } from '../../parts/told.tsx';
import { useWords } from '../../words/words.tsx';
import { MessageLink } from './message-link.tsx';
import { canReplay, Replay } from './replay.tsx';
import type { ShownUpdate } from './shown-update.ts';
import { type TimeScale, timeScale, useDuration } from './time-scale.ts';
import { useUpdateWords } from './update-words.ts';

type Reader = ShownUpdate['readers'][number];
type Attempt = Reader['attempts'][number];
type Call = ShownUpdate['calls'][number];

const MARKS = {
  delivered: 'ok',
  waiting: 'failing',
  filtered: 'disabled',
  dead: 'open',
  dropped: 'disabled',
  held: 'failing',
  expired: 'open',
} as const satisfies Record<Reader['outcome'], string>;

type WaterfallProps = { bot_id: number; update_id: number; update: ShownUpdate };

/** From the acceptance to the attempts of each reader and to the calls, over a time whose steps grow by factors. */
export function Waterfall({ bot_id, update_id, update }: WaterfallProps): ReactNode {
  const words = useUpdateWords();
  const { readers, calls } = update;
  const scale = timeScale(update);
  return (
    <section className="panel waterfall" aria-labelledby="waterfall">
      <h3 id="waterfall">{words.readers}</h3>
      {scale && <Axis scale={scale} />}
      <ol>
        {readers.map((reader) => (
          <ReaderRow key={reader.reader} {...{ bot_id, update_id, update, reader, scale }} />
        ))}
      </ol>
      <h4>{words.calls}</h4>
      {calls.length === 0 && <p className="muted">{words.noCalls}</p>}
      <ol>
        {calls.map((call) => (
          <CallRow key={`${call.at} ${call.how} ${call.message?.id ?? call.method}`} call={call} scale={scale} />
        ))}
      </ol>
    </section>
  );
}

function Axis({ scale }: { scale: TimeScale }): ReactNode {
  const words = useUpdateWords();
  const duration = useDuration();
  return (
    <div className="axis" aria-hidden="true">
      <span className="muted">{words.axis}</span>
      <div className="track">
        {scale.ticks.map((ms) => (
          <span key={ms} style={{ '--at': scale.at(ms) } as CSSProperties}>
            {duration(ms)}
          </span>
        ))}
      </div>
    </div>
  );
}

type RowProps = { scale: TimeScale | null };

type ReaderProps = RowProps & WaterfallProps & { reader: Reader };

function ReaderRow({ bot_id, update_id, update, reader, scale }: ReaderProps): ReactNode {
  const words = useUpdateWords();
  const { outcome, filtered_by: by, attempts } = reader;
  const name = useReaderName(reader);
  return (
    <li>
      <div className="row-name">
        <b className="cut" title={name}>
          {name}
        </b>
        <span className="row-state">
          <span className={`state ${MARKS[outcome]}`}>
            <StateMark state={MARKS[outcome]} />
            {words.outcomes[outcome]}
          </span>
          {canReplay(reader, update) && <Replay {...{ bot_id, update_id, reader, name }} />}
        </span>
        {by && <span className="muted">{words.filtered[by] ?? words.taken(by.replace('program:', ''))}</span>}
      </div>
      <div className="track" aria-hidden="true">
        {scale && attempts.map((attempt) => <Bar key={attempt.id} attempt={attempt} scale={scale} />)}
      </div>
      {attempts.length > 0 && (
        <ul className="attempts-of-reader">
          {attempts.map((attempt) => (
            <li key={attempt.id}>
              <AttemptLink bot_id={bot_id} attempt={attempt} scale={scale} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function useReaderName({ reader, program_name: name, program_id: id }: Reader): string {
  const words = useUpdateWords();
  const [, consumer] = /^consumer:(.+)$/.exec(reader) ?? [];
  if (consumer !== undefined) return words.consumer(consumer);
  return id === undefined ? (words.reader[reader] ?? reader) : words.program(name ?? String(id));
}

function Bar({ attempt, scale }: { attempt: Attempt; scale: TimeScale }): ReactNode {
  const begun = scale.since(attempt.at);
  const place = { '--at': scale.at(begun), '--end': scale.at(begun + attempt.duration_ms) } as CSSProperties;
  return <span className={`time-bar ${attempt.ok ? 'ok' : 'failed'}`} style={place} title={resultOf(attempt)} />;
}

function AttemptLink({ bot_id, attempt, scale }: RowProps & { bot_id: number; attempt: Attempt }): ReactNode {
  const words = useUpdateWords();
  const { bot } = useWords();
  const number = useNumber();
  const duration = useDuration();
  const told = useTold();
  const { id, status, duration_ms: took, destination, error, call_error, call } = attempt;
  const reason = error ?? call_error;
  return (
    <Link
      to="/bots/$id/updates/$update"
      params={{ id: String(bot_id), update: String(attempt.update_id) }}
      search={{ attempt: id }}
      resetScroll={false}
    >
      <StateMark state={attempt.ok ? (call_error === undefined ? 'ok' : 'failing') : 'open'} />
      <span>{attempt.replay ? words.replay.attempt : words.attempt(number(attempt.attempt))}</span>
      <span className="muted">{scale && words.after(duration(scale.since(attempt.at)))}</span>
      <b>{status === 0 ? bot.noAnswer : status}</b>
      <span className="muted">{bot.ms(number(took))}</span>
      <span className="muted cut">
        {[destination, reason === undefined ? call : told(reason)].filter(Boolean).join(': ')}
      </span>
    </Link>
  );
}

function CallRow({ call, scale }: RowProps & { call: Call }): ReactNode {
  const words = useUpdateWords();
  const { method, how, error, message, at } = call;
  const place = scale && ({ '--at': scale.at(scale.since(at)), '--end': scale.at(scale.since(at)) } as CSSProperties);
  return (
    <li>
      <div className="row-name">
        <b className="cut">{method ?? words.call}</b>
        <span className="muted">{words.hows[how]}</span>
        {message && <MessageLink message={message} />}
        {error && <span className="fault">{error}</span>}
      </div>
      <div className="track" aria-hidden="true">
        {place && <span className={`time-bar call ${error === undefined ? 'ok' : 'failed'}`} style={place} />}
      </div>
    </li>
  );
}

function resultOf({ status, duration_ms: took }: Attempt): string {
  return `${status}, ${took} ms`;
}
