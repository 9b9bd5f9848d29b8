import type { OnDemandKind } from '@flotilla/contract/bot-api/update-kinds.ts';
import type { ReactNode } from 'react';
import { CheckField } from '../../parts/check-field.tsx';
import { SwitchField } from '../../parts/switch-field.tsx';
import { useSettingsWords } from './settings-words.ts';
import './kinds-field.css';

/** The platform sends these only to bots that name them. */
const ONLY_ON_DEMAND: Record<OnDemandKind, true> = {
  chat_member: true,
  message_reaction: true,
  message_reaction_count: true,
};

type KindsProps = {
  /** null: the default of the platform. */
  kinds: readonly string[] | null;
  choose: (kinds: readonly string[] | null) => void;
  fault: string | null | undefined;
};

/** Which kinds of updates the bot receives. */
export function KindsField({ kinds, choose, fault }: KindsProps): ReactNode {
  const words = useSettingsWords();
  const known = Object.entries(words.kindNames);
  // A kind that is newer than this console is shown by its name.
  const unknown = (kinds ?? []).filter((kind) => !(kind in words.kindNames));
  const names = [...known, ...unknown.map((kind) => [kind, kind] as const)];
  const toggle = (kind: string) => (on: boolean) =>
    choose(names.map(([name]) => name).filter((name) => (name === kind ? on : kinds?.includes(name))));
  const usual = () => names.map(([name]) => name).filter((name) => !(name in ONLY_ON_DEMAND));
  return (
    <>
      <SwitchField
        label={words.someKinds}
        hint={words.someKindsHint}
        on={kinds !== null}
        toggle={(on) => choose(on ? usual() : null)}
        fault={kinds?.length === 0 ? words.noKind : fault}
      />
      {kinds !== null && (
        <fieldset className="kinds">
          <legend className="unseen">{words.kinds}</legend>
          {names.map(([kind, name]) => (
            <CheckField key={kind} label={name} on={kinds.includes(kind)} toggle={toggle(kind)} />
          ))}
        </fieldset>
      )}
    </>
  );
}
