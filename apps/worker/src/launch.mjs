import { keepCompiled } from '@flotilla/runtime/compile-cache.mjs';

// Plain JavaScript: for a first file with types, Node loads its type stripper at every start. That takes 35 ms.
keepCompiled('worker');
await import('./main.ts');
