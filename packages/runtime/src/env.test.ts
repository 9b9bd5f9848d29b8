import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { readSettings, SettingsError } from './env.ts';
import { cidrListSetting, commonSettings, integerSetting, portSetting, switchSetting } from './settings.ts';

const good = {
  DATABASE_URL: 'postgres://u:p@db/x',
  REDIS_URL: 'redis://cache:6379',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
};
const schema = z.object(commonSettings);

function faultsOf(env: Record<string, string | undefined>): string {
  try {
    readSettings(schema, env);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).message;
  }
  throw new Error('the settings were accepted');
}

describe('Settings', () => {
  test('have the defaults of the documentation', () => {
    expect(readSettings(schema, good)).toEqual({
      ...good,
      ALLOW_SANDBOX_SECRETS: false,
      TELEGRAM_API_URL: 'https://api.telegram.org',
      BACKEND_ALLOWED_CIDRS: [],
      EXTRA_UPDATE_KINDS: [],
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: 9090,
      LOG_LEVEL: 'info',
      REDIS_DURABILITY: 'checked',
      REDIS_EVICTION: 'checked',
    });
  });

  test('that are set to nothing count as unset, and other variables are not looked at', () => {
    const settings = readSettings(schema, { ...good, LOG_LEVEL: '', METRICS_HOST: '  ', PATH: '/bin' });
    expect(settings).toMatchObject({ LOG_LEVEL: 'info', METRICS_HOST: '127.0.0.1' });
    expect(settings).not.toHaveProperty('PATH');
  });

  test('that do not exist are refused with the name that was meant, whatever it was meant for', () => {
    const env = {
      ...good,
      MESSAGE_RETENTION_DAY: '90',
      FLOTILLA_LOG_LEVEL: 'debug',
      FLOTILLA_SPEED: 'high',
      LOGLEVEL: 'x',
    };
    expect(faultsOf(env).split('\n').slice(1)).toEqual([
      '  MESSAGE_RETENTION_DAY: there is no such setting; did you mean MESSAGE_RETENTION_DAYS?',
      '  FLOTILLA_LOG_LEVEL: there is no such setting; did you mean LOG_LEVEL?',
      '  FLOTILLA_SPEED: there is no such setting',
      '  LOGLEVEL: there is no such setting; did you mean LOG_LEVEL?',
    ]);
  });

  test('of other programs, of compose and of Kubernetes are let through', () => {
    const services = { FLOTILLA_API_SERVICE_HOST: '10.0.0.1', FLOTILLA_API_PORT_8080_TCP: 'tcp://10.0.0.1:8080' };
    const others = {
      BACKUP_KEEP_DAYS: '7',
      FLOTILLA_IMAGE: 'registry/flotilla',
      SIMULATOR_LIMITS: 'off',
      PATHS: '/bin',
    };
    expect(readSettings(schema, { ...good, ...services, ...others })).toMatchObject({ LOG_LEVEL: 'info' });
  });

  test('that may be empty are, and are not what they are without being set', () => {
    const lists = z.object({ A: z.string().default('all'), B: z.string().default('all') });
    expect(readSettings(lists, { A: '', B: '' }, ['A'])).toEqual({ A: '', B: 'all' });
    expect(readSettings(lists, {}, ['A'])).toEqual({ A: 'all', B: 'all' });
  });

  test('that are wrong are named all at once, and no value is quoted', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://u:hunter2@db/x',
      ENCRYPTION_KEY: 'c2hvcnQ=',
      METRICS_PORT: '99999',
      LOG_LEVEL: 'loud',
      BACKEND_ALLOWED_CIDRS: '10.0.0.0/33',
      TELEGRAM_PROXY: 'socks4://u:hunter2@proxy',
    });
    for (const name of [
      'DATABASE_URL',
      'REDIS_URL',
      'ENCRYPTION_KEY',
      'METRICS_PORT',
      'LOG_LEVEL',
      'BACKEND_ALLOWED_CIDRS',
      'TELEGRAM_PROXY',
    ]) {
      expect(faults).toContain(`  ${name}: `);
    }
    expect(faults).not.toMatch(/hunter2|c2hvcnQ/);
  });

  test('may give the platform a path, and a slash at its end is dropped', () => {
    const settings = readSettings(schema, { ...good, TELEGRAM_API_URL: 'http://127.0.0.1:8081/platform/' });
    expect(settings.TELEGRAM_API_URL).toBe('http://127.0.0.1:8081/platform');
  });

  test('read numbers, switches and ranges, and refuse what is none', () => {
    const pieces = z.object({
      PORT: portSetting(8080),
      COUNT: integerSetting({ min: 1, max: 10 }).default(5),
      SWITCH: switchSetting(false),
      RANGES: cidrListSetting(),
    });
    expect(
      readSettings(pieces, { PORT: '0', COUNT: '10', SWITCH: 'Yes', RANGES: '10.0.0.0/8, ::1 ,fc00::/7' }),
    ).toEqual({
      PORT: 0,
      COUNT: 10,
      SWITCH: true,
      RANGES: ['10.0.0.0/8', '::1', 'fc00::/7'],
    });
    for (const wrong of [
      { PORT: '80.5' },
      { PORT: '0x50' },
      { COUNT: '11' },
      { SWITCH: '2' },
      { RANGES: 'localhost' },
    ]) {
      expect(() => readSettings(pieces, wrong as Record<string, string>)).toThrow(SettingsError);
    }
  });
});
