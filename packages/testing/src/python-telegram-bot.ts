import { spawnSync } from 'node:child_process';
import { aptInstall } from '@flotilla/embedded/apt-install.ts';

/** Debian's Python, which has the package; another one of the PATH would not. */
const PYTHON = '/usr/bin/python3';

export function hasPythonTelegramBot(): boolean {
  return spawnSync(PYTHON, ['-c', 'import telegram'], { stdio: 'ignore' }).status === 0;
}

/** Installs python-telegram-bot where it can; where it cannot, its tests are left out and a line says so. */
export async function findPythonTelegramBot(report: (line: string) => void): Promise<void> {
  if (hasPythonTelegramBot() || (await aptInstall('python3-python-telegram-bot', report))) return;
  report(
    'python-telegram-bot is not here (Debian: apt-get install python3-python-telegram-bot): its tests are left out',
  );
}
