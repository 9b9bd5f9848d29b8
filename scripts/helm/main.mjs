import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../bootstrap.mjs';
import { findHelm } from './find-helm.mjs';
import { keptText, render, VARIANTS } from './variants.mjs';

const helm = findHelm((reason) => process.stderr.write(`${reason}\n`));
if (helm === null) process.exit(1);
if (process.argv[2] === 'path') process.stdout.write(`${helm}\n`);
else VARIANTS.forEach(keep);

function keep(variant) {
  const { fault, text } = render(helm, ROOT, variant);
  if (fault) {
    process.stderr.write(`${variant.name}: ${fault}\n`);
    process.exitCode = 1;
    return;
  }
  const file = join(ROOT, variant.rendered);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, keptText(text));
}
