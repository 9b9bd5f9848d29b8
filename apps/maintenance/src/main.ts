import { keepCompiled } from '@flotilla/runtime/compile-cache.ts';

// Everything else is imported after this line, or it would be compiled before.
keepCompiled('maintenance');
const [{ FlotillaError }, { runMain }, { backup }, { restore }, { rotateKeys }] = await Promise.all([
  import('@flotilla/runtime/flotilla-error.ts'),
  import('@flotilla/runtime/lifecycle.ts'),
  import('./backup.ts'),
  import('./restore.ts'),
  import('./rotate-keys.ts'),
]);

const COMMANDS = { backup, restore, 'rotate-keys': rotateKeys };
const NAMES = Object.keys(COMMANDS).join(', ');

// node apps/maintenance/src/main.ts <command> …
runMain(
  'maintenance',
  async () => {
    const [name = '', ...args] = process.argv.slice(2);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as keyof typeof COMMANDS] : null;
    if (command === null) throw new FlotillaError('bad_request', `Name a command: ${NAMES}`);
    const stopping = new AbortController();
    const work = command(args, stopping.signal).then((exitCode) => {
      process.exitCode = exitCode;
    });
    return {
      stop: async () => {
        stopping.abort(new FlotillaError('unavailable', 'The command was stopped before it was done; run it again.'));
        await work;
      },
    };
  },
  { plain: true },
);
