import type { ChatPersonResource } from '@flotilla/contract/chat-users.ts';
import type { TagResource } from '@flotilla/contract/tags.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useId, useState } from 'react';
import { call } from '../../../call.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useWords } from '../../../words/words.tsx';
import { askPeopleAgain, type PersonOfChat } from './use-person.ts';

type TagsProps = { person: PersonOfChat; known: ChatPersonResource };

const LONGEST = 64;
const SUGGESTED = 5;

/** The tags of the person: what the team notes about them in this chat. */
export function Tags({ person, known }: TagsProps): ReactNode {
  const { person: words } = useWords();
  const queries = useQueryClient();
  const heading = useId();
  const [typed, setTyped] = useState('');
  const { bot_id, chat_id, user_id } = person;
  const changed = () => askPeopleAgain(queries, person);
  const add = useMutation({
    mutationFn: (given: { tag: string; color?: string }) => call('addTag', { bot_id, chat_id, user_id, ...given }),
    onMutate: () => setTyped(''),
    // Keep the next tag, if one is being typed.
    onError: (_, { tag }) => setTyped((now) => (now === '' ? tag : now)),
    onSuccess: changed,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const tag = typed.trim();
    if (tag !== '') add.mutate({ tag });
  };
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{words.tags}</h3>
      <ul className="chips">
        {known.tags.map((tag) => (
          <TagChip key={tag.id} tag={tag} removed={changed} />
        ))}
      </ul>
      <form className="add-tag" onSubmit={submit}>
        <input
          aria-label={words.newTag}
          placeholder={words.newTag}
          autoComplete="off"
          dir="auto"
          maxLength={LONGEST}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" busy={add.isPending}>
          {words.addTag}
        </Button>
      </form>
      <Suggestions suggested={known.suggested_tags} typed={typed} add={(tag) => add.mutate(tag)} />
      {add.isError && <Failure error={add.error} />}
    </section>
  );
}

function TagChip({ tag, removed }: { tag: TagResource; removed: () => Promise<unknown> }): ReactNode {
  const { person: words } = useWords();
  const remove = useMutation({ mutationFn: () => call('removeTag', { id: tag.id }), onSuccess: removed });
  return (
    <li className="chip">
      <Dot color={tag.color} />
      <bdi className="cut">{tag.tag}</bdi>
      <button
        type="button"
        aria-label={words.removeTag(tag.tag)}
        aria-busy={remove.isPending}
        onClick={() => !remove.isPending && remove.mutate()}
      >
        <Icon name="close" />
      </button>
      {remove.isError && <Failure error={remove.error} />}
    </li>
  );
}

type SuggestionProps = {
  suggested: ChatPersonResource['suggested_tags'];
  typed: string;
  add: (tag: { tag: string; color: string }) => void;
};

/** The tags that others in the chat have, most used first. */
function Suggestions({ suggested, typed, add }: SuggestionProps): ReactNode {
  const { person: words } = useWords();
  const part = typed.trim().toLowerCase();
  const shown = suggested.filter(({ tag }) => tag.toLowerCase().includes(part)).slice(0, SUGGESTED);
  if (shown.length === 0) return null;
  return (
    <ul className="chips" aria-label={words.suggestedTags}>
      {shown.map(({ tag, color }) => (
        <li key={tag}>
          <button type="button" className="suggestion" onClick={() => add({ tag, color })}>
            <Dot color={color} />
            <bdi className="cut">+ {tag}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Dot({ color }: { color: string }): ReactNode {
  return <span className="dot" style={{ background: color }} aria-hidden="true" />;
}
