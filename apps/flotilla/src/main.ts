import tab from '@bomb.sh/tab/commander';
import { maintenanceCommands } from '@flotilla/maintenance/commands.ts';
import { VERSION } from '@flotilla/runtime/build.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { tailCommand } from '@flotilla/tail/tail-options.ts';
import { Command } from 'commander';
import { becomeUser } from './become-user.ts';
import { DATA_OPTION, dataDirOf } from './data-dir.ts';
import { runOver, serveOver } from './run-over.ts';

const program = new Command('flotilla')
  .description(
    'Runs a fleet of Telegram bots behind one API: an api and a worker in one process, with the stores that it brings or those that DATABASE_URL and REDIS_URL name.',
  )
  .version(VERSION)
  .addOption(DATA_OPTION)
  .option('--demo', 'a simulated platform with a bot to try; needs no token')
  .option('--empty', 'with --demo: without the bot')
  .action(async ({ demo = false, empty = false }: { demo?: boolean; empty?: boolean }) => {
    const { startFlotilla } = await import('./start.ts');
    const wanted = {
      dataDir: dataDir(),
      demo,
      empty,
      isTerminal: process.stdout.isTTY === true,
    };
    runMain('flotilla', (stopping) => startFlotilla(wanted, stopping), { plain: true });
  });

/** Commander takes an option of the program wherever it stands. */
const dataDir = () => {
  const { data, demo = false } = program.opts<{ data?: string; demo?: boolean }>();
  return dataDirOf(data, { demo });
};

for (const role of ['api', 'worker'] as const) {
  program
    .command(role)
    .summary(`run only ${role === 'api' ? 'an api' : 'a worker'}, beside other processes`)
    .addOption(DATA_OPTION)
    .action(() => serveOver(role, dataDir()));
}

const commands = maintenanceCommands((work, { isRestore }) => runOver(dataDir(), work, { makes: isRestore }));
commands.push(
  new Command('migrate')
    .summary('bring the database up to date')
    .action(() =>
      runOver(dataDir(), async () => (await import('@flotilla/database/run-migrations.ts')).runMigrations()),
    ),
  new Command('sign-in-link')
    .summary('print a link that signs an account in once, within 15 minutes')
    .argument('[username]', 'the account', 'admin')
    .action((username: string) =>
      runOver(dataDir(), async () => (await import('./print-sign-in-link.ts')).printSignInLink(username)),
    ),
);
for (const command of commands) program.addCommand(command.addOption(DATA_OPTION));
program.addCommand(tailCommand(async (given) => (await import('@flotilla/tail/run-tail.ts')).runTail(given)));
program.hook('preAction', () => becomeUser(dataDir()));
tab(program, { completionCommandName: 'completion' });
program.parse();
