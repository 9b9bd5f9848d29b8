import { Command, InvalidArgumentError, Option } from 'commander';

/** Runs the work of a command; its result is the exit code. */
export type RunWork = (work: (stopping: AbortSignal) => Promise<number>, what: { isRestore: boolean }) => void;

type Json = { json?: boolean };

/** The commands of operators. Each loads its own code, and hands its work to `run`. */
export function maintenanceCommands(runWork: RunWork): Command[] {
  const run = (work: Parameters<RunWork>[0], isRestore = false) => runWork(work, { isRestore });
  return [
    new Command('backup')
      .summary('make a backup of the database')
      .argument('[place]', 'a directory that does not exist yet, or s3://bucket/name')
      .option('--into <place>', 'a directory or s3://bucket/prefix of backups: names it by the time, removes old ones')
      .action((place: string | undefined, options: { into?: string }) =>
        run(async (stopping) => (await import('./backup.ts')).backup(place, options, stopping)),
      ),
    new Command('restore')
      .summary('restore a backup into an empty database')
      .argument('<place>', 'a directory or s3://bucket/name: a backup, or with an option those that hold backups')
      .option('--latest', 'the newest backup there')
      .option('--list', 'only name the backups there')
      .addOption(new Option('--jobs <connections>', 'connections that load at once').argParser(wholeNumber))
      .action((place: string, options: { latest?: boolean; list?: boolean; jobs?: number }) =>
        run(async (stopping) => (await import('./restore.ts')).restore(place, options, stopping), true),
      ),
    new Command('rotate-keys')
      .summary('seal all secrets anew with the first key of ENCRYPTION_KEY')
      .option('--check', 'only say what is sealed with which key')
      .action((options: { check?: boolean }) =>
        run(async (stopping) => (await import('./rotate-keys.ts')).rotateKeys(options, stopping)),
      ),
    new Command('check-config')
      .summary('try what the settings name, and change nothing')
      .option('--json', 'print JSON')
      .action((options: Json) => run(async () => (await import('./check-config.ts')).checkConfig(options))),
    new Command('doctor')
      .summary('look at a running installation')
      .option('--json', 'print JSON')
      .action((options: Json) => run(async () => (await import('./doctor.ts')).doctor(options))),
    new Command('support-bundle')
      .summary('write what helps to find a fault, without secrets and texts of people')
      .argument('[file]', 'a new file; - prints it')
      .action((file: string | undefined) => run(async () => (await import('./support-bundle.ts')).supportBundle(file))),
    new Command('retention')
      .summary('say what retention would remove with these settings')
      .action(() => run(async () => (await import('./retention.ts')).retention())),
    new Command('adopt')
      .summary('let a copy of an installation take over from it')
      .option('--force', 'also if Redis cannot be asked whether the other installation runs')
      .action((options: { force?: boolean }) => run(async () => (await import('./adopt.ts')).adopt(options))),
  ];
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99.');
  return Number(text);
}
