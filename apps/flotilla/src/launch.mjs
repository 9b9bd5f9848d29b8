import { beginProgram } from '@flotilla/runtime/begin-program.mjs';

// Plain JavaScript: for a first file with types, Node loads its type stripper at every start. That takes 35 ms.
beginProgram('flotilla');
await import('./main.ts');
