import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { describe, expect, test } from '@jest/globals';
import { isRedisUnavailable } from './is-redis-unavailable.ts';

describe('an error of Redis', () => {
  test.each([
    'LOADING Redis is loading the dataset in memory',
    'READONLY You can’t write against a read only replica.',
    'MOVED 3999 127.0.0.1:6381',
    'ASK 3999 127.0.0.1:6381',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'CLUSTERDOWN The cluster is down',
    'MASTERDOWN Link with MASTER is down',
    'NOREPLICAS Not enough good replicas to write.',
    'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
    'OOM command not allowed when used memory > ‘maxmemory’.',
    'Too many Cluster redirections. Last error: Error: Connection is closed.',
    "Cluster isn't ready and enableOfflineQueue options is false",
    'ERR Function not found',
    'Command timed out',
    'Connection is closed.',
  ])('“%s” means that it is away', (message) => {
    expect(isRedisUnavailable(new Error(message))).toBe(true);
  });

  test.each([
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'ERR Error compiling script',
    "CROSSSLOT Keys in request don't hash to the same slot",
    'All keys in the pipeline should belong to the same slots allocation group',
    'NOPERM this user has no permissions to run the command',
  ])('“%s” is a fault to be told', (message) => {
    expect(isRedisUnavailable(new Error(message))).toBe(false);
  });

  test('what was already found to be unavailable stays so', () => {
    expect(isRedisUnavailable(new FlotillaError('unavailable', 'later'))).toBe(true);
    expect(isRedisUnavailable(new FlotillaError('not_found', 'never'))).toBe(false);
  });
});
