import { redactSecrets } from '@flotilla/runtime/logger.ts';
import { type Finding, lineOf } from './finding.ts';

/** Prints findings as lines or as JSON. Returns the exit code: 1 when something fails. */
export function report(findings: Finding[], json: boolean): number {
  const failed = findings.filter(({ level }) => level === 'fail').length;
  const warned = findings.filter(({ level }) => level === 'warn').length;
  const text = json
    ? JSON.stringify({ ok: failed === 0, findings })
    : [...findings.map(lineOf), `${failed} to mend, ${warned} to look at, ${findings.length} in all.`].join('\n');
  process.stdout.write(`${redactSecrets(text)}\n`);
  return failed === 0 ? 0 : 1;
}
