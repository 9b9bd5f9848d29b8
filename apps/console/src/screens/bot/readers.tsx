import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Answer, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useNumber } from '../../parts/time.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { usePrograms, useReaders } from '../programs/use-programs.ts';
import { ReaderPicture } from './reader-picture.tsx';
import { ReaderQuality } from './reader-quality.tsx';
import { Behind, ReaderState } from './reader-state.tsx';
import { ReaderTrouble } from './reader-trouble.tsx';
import { TryNow } from './try-now.tsx';

type Reader = Answer<'listReaders'>[number];

/** Who reads the bot's updates, and how far each one is. */
export function Readers({ bot_id }: { bot_id: number }): ReactNode {
  const { bot: words } = useWords();
  const readers = useReaders(bot_id);
  const hasPrograms = readers.data?.some(({ reader }) => programOf(reader) !== undefined) ?? false;
  const programs = usePrograms(bot_id, hasPrograms);
  const nameOf = ({ reader }: Reader) => readerName(reader, words.readers, programs.data ?? []);
  // Readers that never read, such as rules of a bot without rules, say nothing.
  const shown = readers.data?.filter(({ state, behind }) => state !== 'off' || behind > 0) ?? [];
  return (
    <section className="panel" aria-labelledby="readers">
      <h2 id="readers">{words.readers.title}</h2>
      {readers.isError && <Failure error={readers.error} retry={() => void readers.refetch()} />}
      {readers.data && shown.length === 0 && <p className="muted">{words.readers.nobody}</p>}
      {shown.length > 0 && <ReaderPicture readers={shown} nameOf={nameOf} />}
      <ul className="readers">
        {shown.map((reader) => (
          <ReaderRow key={reader.reader} reader={reader} name={nameOf(reader)} bot_id={bot_id} />
        ))}
      </ul>
    </section>
  );
}

function ReaderRow({ reader, name, bot_id }: { reader: Reader; name: string; bot_id: number }): ReactNode {
  const { bot: words } = useWords();
  const number = useNumber();
  const { state } = reader;
  const consumer = consumerOf(reader.reader);
  const program = programOf(reader.reader);
  return (
    <li>
      <span className="reader-name cut" title={reader.backend_url}>
        {program === undefined ? (
          name
        ) : (
          <Link to="/bots/$id/programs" params={{ id: String(bot_id) }} search={{ open: program }}>
            {name}
          </Link>
        )}
        {consumer && <span className="muted"> · {words.readers.consumer}</span>}
      </span>
      <ReaderState state={state} isProgram={program !== undefined} />
      <span className="reader-progress">
        <span>
          <Behind reader={reader} />
        </span>
        <ReaderQuality bot_id={bot_id} reader={reader} />
      </span>
      <span className="reader-action">
        {(state === 'open' || state === 'failing') && <TryNow botId={bot_id} programId={reader.program_id} />}
        {consumer && <Forget bot_id={bot_id} consumer={consumer} keeps={number(reader.keeps)} />}
      </span>
      <ReaderTrouble reader={reader} />
    </li>
  );
}

const consumerOf = (reader: string) => /^consumer:(.+)$/.exec(reader)?.[1];
const programOf = (reader: string) => /^program:(\d+)$/.exec(reader)?.[1];

/** A program by its name, as soon as that is known. */
function readerName(
  reader: string,
  words: Words['bot']['readers'],
  programs: readonly { id: number; name: string }[],
): string {
  const program = programOf(reader);
  if (program !== undefined) return words.program(programs.find(({ id }) => String(id) === program)?.name ?? program);
  return consumerOf(reader) ?? words.names[reader as keyof typeof words.names] ?? reader;
}

function Forget({ bot_id, consumer, keeps }: { bot_id: number; consumer: string; keeps: string }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const forget = useMutation({
    mutationFn: () => call('forgetConsumer', { bot_id, consumer }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      setAsking(false);
    },
  });
  const { readers } = words.bot;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{readers.forget}</Button>
      {asking && (
        <Dialog
          title={readers.forgetTitle(consumer)}
          description={readers.forgetHint(keeps)}
          close={() => setAsking(false)}
          className="narrow"
        >
          {forget.isError && <Failure error={forget.error} />}
          <div className="dialog-actions">
            <Button onClick={() => setAsking(false)}>{words.cancel}</Button>
            <Button kind="danger" busy={forget.isPending} onClick={() => forget.mutate()}>
              {readers.forget}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
