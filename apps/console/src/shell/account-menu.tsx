import { type ReactNode, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../parts/menu.tsx';
import { ChangePassword } from '../screens/sign-in/change-password.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';

export function AccountMenu({ showShortcuts }: { showShortcuts: () => void }): ReactNode {
  const words = useWords();
  const { account, leave } = useSession();
  const [changing, setChanging] = useState(false);
  const name = account.display_name || account.username;
  const face = (
    <>
      <span className="account-name">{name}</span>
      <Icon name="down" />
    </>
  );
  return (
    <>
      <Menu label={words.account.open(name)} face={face}>
        <p className="menu-note">
          {account.username} <span className="muted">· {words.account.roles[account.role]}</span>
        </p>
        <MenuLine />
        <MenuItem onClick={() => setChanging(true)}>{words.account.changePassword}</MenuItem>
        <MenuItem onClick={showShortcuts}>{words.shortcuts.open}</MenuItem>
        <MenuLine />
        <MenuItem onClick={leave}>{words.account.signOut}</MenuItem>
      </Menu>
      {changing && <ChangePassword close={() => setChanging(false)} />}
    </>
  );
}
