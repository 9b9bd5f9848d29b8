import { spawnSync } from 'node:child_process';
import { aptInstall } from '@flotilla/embedded/apt-install.ts';

/** Debian's package is installed for this Python; another Python on the PATH would not find it. */
const PYTHON = '/usr/bin/python3';

export function hasPythonTelegramBot(): boolean {
  return spawnSync(PYTHON, ['-c', 'import telegram'], { stdio: 'ignore' }).status === 0;
}

/** Installs python-telegram-bot where possible; otherwise prints a line, and its tests are left out. */
export async function findPythonTelegramBot(report: (line: string) => void): Promise<void> {
  if (hasPythonTelegramBot() || (await aptInstall('python3-python-telegram-bot', report))) return;
  report(
    'python-telegram-bot is not here (Debian: apt-get install python3-python-telegram-bot): its tests are left out',
  );
}
