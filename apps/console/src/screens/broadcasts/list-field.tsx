import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';

const LISTS = 'chat-lists';
const PAGE = 10_000;

type ListProps = { list: string | undefined; fault: string | undefined; choose: (list: string | undefined) => void };

/** One of the lists of the account, or a new one from a file of ids. */
export function ListField({ list, fault, choose }: ListProps): ReactNode {
  const { form: words, chats } = useBroadcastsWords();
  const queries = useQueryClient();
  const [added, setAdded] = useState<{ at: number; of: number } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const lists = useQuery({
    queryKey: [LISTS],
    queryFn: ({ signal }) => call('listChatLists', { limit: 200 }, signal),
  });
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const ids = idsIn(await file.text());
      const { id } = await call('addChatList', { name: file.name.slice(0, 128) });
      for (let at = 0; at < ids.length; at += PAGE) {
        setAdded({ at, of: ids.length });
        await call('appendToChatList', { id, chat_ids: ids.slice(at, at + PAGE) });
      }
      return id;
    },
    onSuccess: (id) => choose(String(id)),
    onSettled: () => {
      setAdded(null);
      return queries.invalidateQueries({ queryKey: [LISTS] });
    },
  });
  const options = (lists.data ?? []).map(({ id, name, size }) => [String(id), `${name} · ${chats(size)}`] as const);
  return (
    <div className="broadcast-file">
      <SelectField
        label={words.list}
        hint={words.listHint}
        fault={fault}
        options={[['', words.chooseList], ...options]}
        value={list ?? ''}
        choose={(chosen) => choose(chosen || undefined)}
      />
      <Button disabled={upload.isPending} onClick={() => input.current?.click()}>
        <Icon name="attach" />
        {words.listFile}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".txt,.csv,text/plain,text/csv"
        hidden
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen) upload.mutate(chosen);
          target.value = '';
        }}
      />
      {added && <progress value={added.at} max={added.of} aria-label={words.listFile} />}
      {(upload.error ?? lists.error) && <Failure error={(upload.error ?? lists.error)!} />}
    </div>
  );
}

/** The ids of a file: the first number of each line, so that a table with names may be given, too. */
function idsIn(text: string): number[] {
  const ids = new Set<number>();
  for (const line of text.split(/\r?\n/)) {
    const [found] = /-?\d{1,16}/.exec(line) ?? [];
    if (found !== undefined && Number.isSafeInteger(Number(found))) ids.add(Number(found));
  }
  return [...ids];
}
