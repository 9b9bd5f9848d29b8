import { keepCompiled } from '@flotilla/runtime/compile-cache.mjs';
import { sizeThreadPool } from '@flotilla/runtime/thread-pool.mjs';

// Plain JavaScript: for a first file with types, Node loads its type stripper at every start. That takes 35 ms.
keepCompiled('worker');
// Half of these threads look names up; a backend's name for which nobody answers holds one for ten seconds and more.
sizeThreadPool(32);
await import('./main.ts');
