import { bootstrap, fail } from './bootstrap.mjs';
import { buildPrograms, folderOfSources } from './build-programs.mjs';

// node scripts/programs.mjs [--name]: builds the programs of these sources and prints the folder; with --name it only prints.

await bootstrap();
const named = process.argv.includes('--name');
const folder = named ? folderOfSources() : await buildPrograms();
process.stdout.write(`${folder ?? fail('The programs could not be built.')}\n`);
