import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { adopt } from './adopt.ts';
import { backup } from './backup.ts';
import { checkConfig } from './check-config.ts';
import { doctor } from './doctor.ts';
import { restore } from './restore.ts';
import { retention } from './retention.ts';
import { rotateKeys } from './rotate-keys.ts';
import { supportBundle } from './support-bundle.ts';

const COMMANDS = {
  adopt,
  backup,
  restore,
  retention,
  'rotate-keys': rotateKeys,
  'check-config': checkConfig,
  doctor,
  'support-bundle': supportBundle,
};
const NAMES = Object.keys(COMMANDS).join(', ');

// node apps/maintenance/src/launch.mjs <command> …
runMain(
  'maintenance',
  async () => {
    const [name = '', ...args] = process.argv.slice(2);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as keyof typeof COMMANDS] : null;
    if (command === null) throw new FlotillaError('bad_request', `Name a command: ${NAMES}`);
    const stopping = new AbortController();
    const work = command(args, stopping.signal).then(
      (exitCode) => {
        process.exitCode = exitCode;
      },
      // What a stopped command fails with says less than why it was stopped.
      (error: unknown) => Promise.reject(stopping.signal.aborted ? stopping.signal.reason : error),
    );
    return {
      stop: async () => {
        stopping.abort(new FlotillaError('unavailable', 'The command was stopped before it was done; run it again.'));
        await work;
      },
    };
  },
  { plain: true },
);
