import type { ProgramChatResource } from '@flotilla/contract/program-chats.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, callPage } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { NewLink } from './new-link.tsx';
import { useProgramsWords } from './programs-words.ts';

const PAGE = 20;

/** The chats that people bound to a program by its links; a link can be made, and the open ones revoked. */
export function BoundChats({ program }: { program: ProgramResource }): ReactNode {
  const words = useProgramsWords().bound;
  const [over, setOver] = useState<'make' | 'revoke' | null>(null);
  const close = () => setOver(null);
  const chats = usePages<ProgramChatResource>(['program-chats', program.id], (page, signal) =>
    callPage('listProgramChats', { ...page, program_id: program.id, limit: PAGE }, signal),
  );
  return (
    <section className="tokens" aria-labelledby="bound-chats">
      <header>
        <h3 id="bound-chats">{words.title}</h3>
        <Button kind="quiet" onClick={() => setOver('revoke')}>
          {words.revoke}
        </Button>
        <Button onClick={() => setOver('make')}>{words.make}</Button>
      </header>
      <p className="hint">{words.hint}</p>
      {chats.isError && <Failure error={chats.error} retry={() => void chats.refetch()} />}
      {chats.data && chats.rows.length === 0 && <p className="muted">{words.none}</p>}
      <ul>
        {chats.rows.map((chat) => (
          <BoundChat key={chat.chat_id} chat={chat} />
        ))}
      </ul>
      {chats.hasNextPage && <Button onClick={() => void chats.fetchNextPage()}>{words.more}</Button>}
      {over === 'make' && <NewLink program={program} close={close} />}
      {over === 'revoke' && <Revoke program={program} close={close} />}
    </section>
  );
}

function BoundChat({ chat }: { chat: ProgramChatResource }): ReactNode {
  const words = useProgramsWords().bound;
  const [asking, setAsking] = useState(false);
  const name = chat.title ?? String(chat.chat_id);
  return (
    <li className="program-entry token">
      <p className="token-head">
        <strong className="cut">
          <bdi>{name}</bdi>
        </strong>
        <code className="muted">{chat.chat_id}</code>
      </p>
      <Button kind="quiet" onClick={() => setAsking(true)} aria-label={words.unbindTitle(name).replace('?', '')}>
        {words.unbind}
      </Button>
      <p className="muted">
        <Moment at={chat.bound_at} /> {chat.user_name && words.boundBy(chat.user_name)}
      </p>
      {asking && <Unbind chat={chat} name={name} close={() => setAsking(false)} />}
    </li>
  );
}

function Unbind({ chat, name, close }: { chat: ProgramChatResource; name: string; close: () => void }): ReactNode {
  const words = useProgramsWords().bound;
  const queries = useQueryClient();
  const { program_id, chat_id } = chat;
  const unbind = useMutation({
    mutationFn: () => call('unbindProgramChat', { program_id, chat_id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['program-chats'] });
      close();
    },
  });
  const asked = { run: () => unbind.mutate(), close, busy: unbind.isPending, error: unbind.error };
  return (
    <Confirm title={words.unbindTitle(name)} description={words.unbindHint} act={words.unbindAct} danger {...asked} />
  );
}

function Revoke({ program, close }: { program: ProgramResource; close: () => void }): ReactNode {
  const words = useProgramsWords().bound;
  const revoke = useMutation({
    mutationFn: () => call('revokeProgramLinks', { program_id: program.id }),
    onSuccess: close,
  });
  const asked = { run: () => revoke.mutate(), close, busy: revoke.isPending, error: revoke.error };
  return <Confirm title={words.revokeTitle} description={words.revokeHint} act={words.revokeAct} danger {...asked} />;
}
