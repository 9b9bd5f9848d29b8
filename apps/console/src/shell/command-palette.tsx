import type { BotResource } from '@flotilla/contract/bots.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { callPage } from '../call.ts';
import { Dialog } from '../parts/dialog.tsx';
import { lookOf, markOf, StateMark } from '../parts/state-badge.tsx';
import { usePreferences } from '../preferences.tsx';
import { seesWholeFleet, useSession } from '../session.tsx';
import { THEMES } from '../stored-preferences.ts';
import { useWords } from '../words/words.tsx';
import { screensOf } from './screens.ts';

const BOTS_SHOWN = 8;

type Target = { key: string; face: ReactNode; go: () => void };

/** Finds screens, bots and actions by a part of their names. */
export function CommandPalette({ close }: { close: () => void }): ReactNode {
  const words = useWords();
  const [text, setText] = useState('');
  const [marked, setMarked] = useState(0);
  const list = useId();
  const targets = useTargets(text.trim(), close);
  const at = Math.min(marked, targets.length - 1);
  const steer = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setMarked((at + step + targets.length) % Math.max(1, targets.length));
    else if (event.key === 'Enter') targets[at]?.go();
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={words.palette.label} close={close} className="palette">
      <input
        role="combobox"
        aria-label={words.palette.label}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={at >= 0 ? `${list}-${at}` : undefined}
        placeholder={words.palette.open}
        autoFocus
        spellCheck={false}
        value={text}
        onKeyDown={steer}
        onChange={(event) => {
          setText(event.target.value);
          setMarked(0);
        }}
      />
      <div id={list} role="listbox" aria-label={words.palette.label}>
        {targets.map(({ key, face, go }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the focus and its keys
          <div
            key={key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onClick={go}
            onPointerMove={() => setMarked(index)}
          >
            {face}
          </div>
        ))}
      </div>
      <p role="status" className={targets.length === 0 ? 'muted' : 'unseen'}>
        {targets.length === 0 ? words.palette.nothing : words.palette.results(targets.length)}
      </p>
    </Dialog>
  );
}

function useTargets(text: string, close: () => void): Target[] {
  const words = useWords();
  const navigate = useNavigate();
  const { choose } = usePreferences();
  const { account, leave } = useSession();
  const bots = useQuery({
    queryKey: ['bots', 'named', text],
    queryFn: ({ signal }) => callPage('listBots', { q: text, limit: BOTS_SHOWN }, signal),
    placeholderData: keepPreviousData,
    enabled: text !== '',
  });
  const actions: [string, () => void][] = [
    ...screensOf(account).map(({ name, to }): [string, () => void] => [words.nav[name], () => void navigate({ to })]),
    ...(seesWholeFleet(account)
      ? ([[words.fleet.add, () => void navigate({ to: '/bots/add' })]] as [string, () => void][])
      : []),
    ...THEMES.map((theme): [string, () => void] => [
      words.palette.theme(words.preferences.themes[theme]),
      () => choose({ theme }),
    ]),
    [words.account.signOut, leave],
  ];
  const closing = (go: () => void) => () => {
    close();
    go();
  };
  const found = actions.filter(([name]) => name.toLowerCase().includes(text.toLowerCase()));
  const rows = text === '' ? [] : (bots.data?.rows ?? []);
  // Rows of the text before stay only if they have this one too: Enter must not open another bot.
  const hasText = ({ name, username }: BotResource) =>
    `${name} @${username}`.toLowerCase().includes(text.toLowerCase());
  const named = bots.isPlaceholderData ? rows.filter(hasText) : rows;
  return [
    ...named.map((bot) => ({
      key: `bot-${bot.id}`,
      face: (
        <>
          <StateMark state={lookOf(markOf(bot))} />
          <span className="cut">{bot.name}</span>
          <bdi className="muted cut">@{bot.username}</bdi>
        </>
      ),
      go: closing(() => void navigate({ to: '/bots/$id', params: { id: String(bot.id) } })),
    })),
    ...found.map(([name, go]) => ({ key: name, face: name, go: closing(go) })),
  ];
}
