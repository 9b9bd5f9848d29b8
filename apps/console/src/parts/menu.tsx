import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

/** A button that opens a menu below it. */
export function Menu({ label, face, children }: { label: string; face: ReactNode; children: ReactNode }): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger className="button quiet" aria-label={label} title={label}>
        {face}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={6} className="menu-place">
          <Base.Popup className="menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({ children, onClick }: { children: ReactNode; onClick: () => void }): ReactNode {
  return (
    <Base.Item className="menu-item" onClick={onClick}>
      {children}
    </Base.Item>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  choose: (value: Value) => void;
};

/** One of several options, under a heading. */
export function MenuChoice<Value extends string>({ label, options, value, choose }: ChoiceProps<Value>): ReactNode {
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={choose}>
        {options.map(([option, text]) => (
          <Base.RadioItem key={option} value={option} className="menu-item" closeOnClick>
            <Base.RadioItemIndicator keepMounted className="menu-check">
              <Icon name="check" />
            </Base.RadioItemIndicator>
            {text}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

export function MenuSwitch({
  label,
  on,
  toggle,
}: {
  label: string;
  on: boolean;
  toggle: (on: boolean) => void;
}): ReactNode {
  return (
    <Base.CheckboxItem className="menu-item" checked={on} onCheckedChange={toggle}>
      <Base.CheckboxItemIndicator keepMounted className="menu-check">
        <Icon name="check" />
      </Base.CheckboxItemIndicator>
      {label}
    </Base.CheckboxItem>
  );
}

export const MenuLine = () => <Base.Separator className="menu-line" />;
