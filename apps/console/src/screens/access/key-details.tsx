import type { ApiKeyResource } from '@flotilla/contract/api-keys.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { useBotName } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { KeyState } from './key-state.tsx';
import { type LeftToken, LeftTokens } from './left-tokens.tsx';
import { McpChats } from './mcp-reach.tsx';
import { useMcpWords } from './mcp-words.ts';

type DetailsProps = { apiKey: ApiKeyResource; all: readonly ApiKeyResource[]; close: () => void };

/** The rights of a key, the keys that depend on it, and the acts on it. */
export function KeyDetails({ apiKey, all, close }: DetailsProps): ReactNode {
  const words = useWords();
  const reachFacts = useReachFacts();
  const queries = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const [left, setLeft] = useState<readonly LeftToken[]>([]);
  const { id, name, enabled, expires_at: expires, last_used_at: last, parent_id } = apiKey;
  const children = dependentOn(id, all);
  const parent = all.find((key) => key.id === parent_id);
  const changed = () => queries.invalidateQueries({ queryKey: ['keys'] });
  const end = async () => {
    await changed();
    close();
  };
  const toggle = useMutation({
    mutationFn: () => call('toggleApiKey', { id, enabled: !enabled }),
    onSuccess: changed,
  });
  const remove = useMutation({
    mutationFn: () => call('deleteApiKey', { id }),
    onSuccess: ({ program_tokens: tokens }) => (tokens.length === 0 ? end() : setLeft(tokens)),
  });
  return (
    <Inspector title={name} close={close}>
      <Facts
        rows={[
          [words.access.columns.prefix, <code key="prefix">{apiKey.prefix}…</code>],
          [words.access.columns.state, <KeyState key="state" apiKey={apiKey} />],
          ...reachFacts(apiKey),
          [words.access.expires, expires ? <Moment key="expires" at={expires} /> : words.fleet.never],
          [words.access.columns.lastUse, last ? <Ago key="last" at={last} /> : words.fleet.never],
          [words.access.created, <Moment key="created" at={apiKey.created_at} />],
          ...(parent_id === undefined
            ? []
            : [[words.access.madeBy, <bdi key="parent">{parent?.name ?? `#${parent_id}`}</bdi>] as const]),
          ...(children.length === 0
            ? []
            : [[words.access.dependent, children.map((key) => key.name).join(', ')] as const]),
        ]}
      />
      {toggle.isError && <Failure error={toggle.error} />}
      <div className="actions apart">
        <Button onClick={() => toggle.mutate()} busy={toggle.isPending}>
          {enabled ? words.access.disable : words.access.enable}
        </Button>
        <Button onClick={() => setDeleting(true)}>{words.access.remove}</Button>
      </div>
      {left.length > 0 && <LeftTokens tokens={left} close={() => void end()} />}
      {deleting && left.length === 0 && (
        <Confirm
          title={words.access.deleteKeyTitle(name)}
          description={words.access.deleteKeyHint(children.length)}
          act={words.access.remove}
          danger
          run={() => remove.mutate()}
          close={() => setDeleting(false)}
          busy={remove.isPending}
          error={remove.error}
        />
      )}
    </Inspector>
  );
}

function useReachFacts(): (key: ApiKeyResource) => (readonly [string, ReactNode])[] {
  const { access, account } = useWords();
  const words = useMcpWords();
  return ({ role, bot_ids: bots, bot_labels: labels, mcp, mcp_chats: chats = [] }) =>
    mcp === undefined
      ? [
          [access.columns.role, account.roles[role]],
          [access.bots, bots === null ? access.allBots : bots.map((bot) => <BotLine key={bot} id={bot} />)],
          ...(labels.length === 0 ? [] : [[access.labels, <bdi key="labels">{labels.join(', ')}</bdi>] as const]),
        ]
      : [
          [words.purpose, words.purposes[mcp]],
          [words.chats, <McpChats key="chats" chats={chats} />],
        ];
}

function BotLine({ id }: { id: number }): ReactNode {
  const name = useBotName(String(id));
  return (
    <div>
      <bdi className="cut" title={name}>
        {name}
      </bdi>
    </div>
  );
}

/** The keys that this key made, and those that these made. */
function dependentOn(id: number, all: readonly ApiKeyResource[]): ApiKeyResource[] {
  const made = all.filter((key) => key.parent_id === id);
  return made.flatMap((key) => [key, ...dependentOn(key.id, all)]);
}
