import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { nodeEnvironment, nodeFlags } from './node-flags.ts';

const ROOT = join(import.meta.dirname, '../../..');
const environmentOf = (program: string) => Object.entries(nodeEnvironment(program)).map((setting) => setting.join('='));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('how Node is started', () => {
  it.each(['api', 'worker'])('is the same for the %s by npm and in its image', (program) => {
    const node = ['node', ...nodeFlags(program)];
    const byNpm = [...environmentOf(program), 'exec', ...node, `apps/${program}/src/launch.mjs`];
    expect(JSON.parse(read('package.json')).scripts[`start:${program}`]).toBe(byNpm.join(' '));
    const dockerfile = read('infra/docker/Dockerfile');
    const inImage = JSON.stringify([...node, `built/${program}/launch.mjs`]).replaceAll(',', ', ');
    expect(dockerfile).toContain(`CMD ${inImage}\n`);
    const [all, ...own] = environmentOf(program);
    expect(dockerfile).toContain(`ENV NODE_ENV=production ${all}\n`);
    if (own.length > 0) expect(dockerfile).toContain(`FROM runtime AS ${program}\nENV ${own.join(' ')}\n`);
    // The compiled code of other flags is of no use.
    expect(dockerfile).toContain(`RUN ${node.join(' ')} built/${program}/fill-compile-cache.mjs\n`);
  });

  it('is the same for an api of systemd, as the handbook shows it', () => {
    const handbook = read('docs/operations/install.md');
    expect(handbook).toContain(`/node ${nodeFlags('api').join(' ')} apps/api/src/launch.mjs\n`);
    expect(handbook).toContain(` ${environmentOf('api').join(' ')}\n`);
  });
});
