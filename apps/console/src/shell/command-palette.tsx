import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { sentenceOf } from '../parts/failure.tsx';
import { useWords } from '../words/words.tsx';
import type { TargetGroup } from './palette-target.ts';
import { type Chosen, useTargets } from './palette-targets.tsx';

/** Finds screens, bots, chats, people, messages, rules, settings and actions. */
export function CommandPalette({ close }: { close: () => void }): ReactNode {
  const all = useWords();
  const { palette: words } = all;
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [marked, setMarked] = useState(0);
  const list = useId();
  const choose = (setting: Chosen) => {
    setChosen(setting);
    setText('');
    setMarked(0);
  };
  const { groups, isLooking, error } = useTargets(text.trim(), chosen, { close, choose });
  const targets = groups.flatMap((group) => group.targets);
  const at = Math.min(marked, targets.length - 1);
  const steer = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setMarked((at + step + targets.length) % Math.max(1, targets.length));
    else if (event.key === 'Enter') targets[at]?.go();
    else return;
    event.preventDefault();
  };
  const label = chosen === null ? words.label : words.whichBot(chosen.name);
  return (
    <Dialog title={words.label} close={close} className="palette">
      <input
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={at >= 0 ? `${list}-${at}` : undefined}
        placeholder={chosen === null ? words.open : label}
        autoFocus
        dir="auto"
        maxLength={256}
        spellCheck={false}
        value={text}
        onKeyDown={steer}
        onChange={(event) => {
          setText(event.target.value);
          setMarked(0);
        }}
      />
      <div id={list} role="listbox" aria-label={words.label}>
        {groups.map((group, index) => (
          <Group
            key={group.name}
            group={group}
            first={groups.slice(0, index).reduce((sum, before) => sum + before.targets.length, 0)}
            {...{ list, at, mark: setMarked }}
          />
        ))}
      </div>
      {error !== null && <p className="fault">{sentenceOf(error, all)}</p>}
      <p role="status" className={targets.length === 0 && error === null ? 'muted' : 'unseen'}>
        {targets.length > 0 ? words.results(targets.length) : isLooking ? words.looking : words.nothing}
      </p>
    </Dialog>
  );
}

type GroupProps = { group: TargetGroup; first: number; list: string; at: number; mark: (at: number) => void };

function Group({ group, first, list, at, mark }: GroupProps): ReactNode {
  const { palette: words } = useWords();
  const marked = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (at >= first && at < first + group.targets.length) marked.current?.scrollIntoView({ block: 'nearest' });
  }, [at, first, group.targets.length]);
  if (group.targets.length === 0) return null;
  return (
    <div role="group" aria-label={words.groups[group.name]}>
      <p aria-hidden="true" className="palette-group muted">
        {words.groups[group.name]}
      </p>
      {group.targets.map(({ key, face, go }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the focus and its keys
        <div
          key={key}
          ref={first + index === at ? marked : null}
          id={`${list}-${first + index}`}
          role="option"
          aria-selected={first + index === at}
          tabIndex={-1}
          onClick={go}
          onPointerMove={() => mark(first + index)}
        >
          {face}
        </div>
      ))}
    </div>
  );
}
