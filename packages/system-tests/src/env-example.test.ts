import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { apiSettings } from '@flotilla/domain/startup/api-settings.ts';
import { workerSettings } from '@flotilla/domain/startup/worker-settings.ts';
import { SETTINGS as oneProcessSettings } from '@flotilla/flotilla/config.ts';
import { backupSettings } from '@flotilla/maintenance/maintenance-settings.ts';
import { readSettings } from '@flotilla/runtime/env.ts';
import { SETTINGS as sandboxSettings } from '@flotilla/sandbox/config.ts';
import { describe, expect, test } from '@jest/globals';

const LINE = /^(# )?([A-Z][A-Z0-9_]+)=(.*)$/gm;
const text = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
const lines = [...text.matchAll(LINE)].map(([, comment, name = '', value = '']) => ({
  name,
  value,
  required: comment === undefined,
}));
const operations = readFileSync(new URL('../../../docs/operations/settings.md', import.meta.url), 'utf8');
const valuesOf = (wanted: typeof lines) => Object.fromEntries(wanted.map(({ name, value }) => [name, value]));
const asCopied = valuesOf(lines.filter((line) => line.required));
const secret = randomBytes(24).toString('hex');
/** The required settings, filled with new secrets as the file asks. */
const required: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(asCopied).map(([name, value]) => [name, value.replace(':password@', `:${secret}@`)]),
  ),
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
};

const known = [apiSettings, workerSettings, oneProcessSettings, sandboxSettings, backupSettings].flatMap(({ shape }) =>
  Object.keys(shape),
);
const everySetting = [...new Set(known)].sort();

test('the tables of settings for operators name every one once, and no other', () => {
  const cells = operations.split('\n').map((line) => line.split('|')[1] ?? '');
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(everySetting);
});

describe('.env.example', () => {
  test('names every setting of the api, the worker, the sandbox and of backups once, and no other', () => {
    expect(lines.map(({ name }) => name).sort()).toEqual(everySetting);
  });

  test('leaves without a # exactly what the api and the worker cannot start without', () => {
    for (const schema of [apiSettings, workerSettings]) {
      expect(() => readSettings(schema, required)).not.toThrow();
      for (const name of Object.keys(required)) {
        expect(() => readSettings(schema, { ...required, [name]: '' })).toThrow(name);
      }
    }
  });

  test('is refused as it was copied, with the command that makes each secret', () => {
    for (const schema of [apiSettings, workerSettings]) {
      for (const [name, command] of [
        ['DATABASE_URL', 'openssl rand -hex 24'],
        ['REDIS_URL', 'openssl rand -hex 24'],
        ['ENCRYPTION_KEY', 'openssl rand -base64 32'],
      ] as const) {
        expect(() => readSettings(schema, { ...required, [name]: asCopied[name] })).toThrow(
          new RegExp(`^ +${name}: .*${command}`, 'm'),
        );
      }
    }
  });

  test('shows defaults that are those of the code', () => {
    for (const schema of [apiSettings, workerSettings]) {
      expect(readSettings(schema, { ...valuesOf(lines), ...required })).toEqual(readSettings(schema, required));
    }
  });
});
