import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { nodeFlags } from './node-flags.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('how Node is started', () => {
  it.each(['api', 'worker'])('is the same for the %s by npm and in its image', (program) => {
    const command = ['node', ...nodeFlags(program), `apps/${program}/src/launch.mjs`];
    expect(JSON.parse(read('package.json')).scripts[`start:${program}`]).toBe(`exec ${command.join(' ')}`);
    // The compiled code of other flags is of no use.
    const fill = ['RUN node', ...nodeFlags(program), `packages/runtime/src/fill-compile-cache.mjs ${program} `];
    expect(read('infra/docker/Dockerfile')).toContain(fill.join(' '));
    expect(read('infra/docker/Dockerfile')).toContain(`CMD ${JSON.stringify(command).replaceAll(',', ', ')}\n`);
  });

  it('is the same for an api of systemd, as the handbook shows it', () => {
    expect(read('docs/operations/install.md')).toContain(
      `/node ${nodeFlags('api').join(' ')} apps/api/src/launch.mjs\n`,
    );
  });
});
