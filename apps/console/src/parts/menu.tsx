import { Link, type LinkProps } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useState } from 'react';
import { Icon } from './icon.tsx';
import { loadedMenus, loadMenus, type MenuParts } from './late-menus.ts';

const BaseContext = createContext<MenuParts | null>(null);

type MenuProps = {
  /** Of a face that does not say it. */
  label?: string;
  face: ReactNode;
  children: ReactNode;
  bordered?: boolean;
};

/** A button that opens a menu below it. */
export function Menu({ label, face, children, bordered = false }: MenuProps): ReactNode {
  const [Base, setBase] = useState<MenuParts | null>(null);
  const open = () => {
    const loaded = loadedMenus();
    if (loaded !== null) setBase(loaded);
    else void loadMenus().then(setBase);
  };
  const button = {
    className: bordered ? 'button plain' : 'button quiet',
    'aria-label': label,
    title: label,
    children: face,
  };
  if (Base === null) {
    return <button {...button} type="button" aria-haspopup="menu" aria-expanded={false} onClick={open} />;
  }
  return (
    <BaseContext value={Base}>
      <Base.Root defaultOpen>
        <Base.Trigger {...button} />
        <Base.Portal>
          <Base.Positioner align="end" sideOffset={6} className="menu-place">
            <Base.Popup className="menu">{children}</Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </BaseContext>
  );
}

type ItemProps = { children: ReactNode; title?: string; onClick: () => void };

export function MenuItem({ children, ...item }: ItemProps): ReactNode {
  const Base = use(BaseContext)!;
  return (
    <Base.Item className="menu-item" {...item}>
      {children}
    </Base.Item>
  );
}

/** Leads to another screen. */
export function MenuLink({ children, ...link }: LinkProps & { children: ReactNode }): ReactNode {
  const Base = use(BaseContext)!;
  return (
    <Base.Item className="menu-item" render={<Link {...link} />}>
      {children}
    </Base.Item>
  );
}

/** Opens a page outside of the console. */
export function MenuAnchor({ href, children }: { href: string; children: ReactNode }): ReactNode {
  const Base = use(BaseContext)!;
  return (
    <Base.Item className="menu-item" render={<a href={href} target="_blank" rel="noopener" />}>
      {children}
    </Base.Item>
  );
}

/** Items under a heading. */
export function MenuGroup({ label, children }: { label: string; children: ReactNode }): ReactNode {
  const Base = use(BaseContext)!;
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  choose: (value: Value) => void;
  /** The outcome of the choice is told in the menu. */
  staysOpen?: boolean;
};

/** One of several options, under a heading. */
export function MenuChoice<Value extends string>(props: ChoiceProps<Value>): ReactNode {
  const { label, options, value, choose, staysOpen = false } = props;
  const Base = use(BaseContext)!;
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={choose}>
        {options.map(([option, text]) => (
          <Base.RadioItem key={option} value={option} className="menu-item" closeOnClick={!staysOpen}>
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

type SwitchProps = { label: string; on: boolean; toggle: (on: boolean) => void };

export function MenuSwitch({ label, on, toggle }: SwitchProps): ReactNode {
  const Base = use(BaseContext)!;
  return (
    <Base.CheckboxItem className="menu-item" checked={on} onCheckedChange={toggle}>
      <Base.CheckboxItemIndicator keepMounted className="menu-check">
        <Icon name="check" />
      </Base.CheckboxItemIndicator>
      {label}
    </Base.CheckboxItem>
  );
}

export function MenuLine(): ReactNode {
  const Base = use(BaseContext)!;
  return <Base.Separator className="menu-line" />;
}
