import { runTail } from './run-tail.ts';
import { tailCommand } from './tail-options.ts';

// npm run tail -- --bot <id> --to <url> …
tailCommand(runTail).name('npm run tail --').parse();
