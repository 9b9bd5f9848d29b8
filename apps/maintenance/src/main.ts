import { runCommand } from '@flotilla/runtime/run-command.ts';
import { Command } from 'commander';
import { maintenanceCommands } from './commands.ts';

// node apps/maintenance/src/launch.mjs <command> …
const program = new Command('maintenance').description('Commands of operators of Flotilla.');
for (const command of maintenanceCommands((work) => runCommand('maintenance', work))) program.addCommand(command);
program.parse();
