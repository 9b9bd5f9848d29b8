import { describe, expect, test } from '@jest/globals';
import { parseRedisUrl } from './redis-url.ts';

describe('the forms of REDIS_URL', () => {
  test.each([
    ['redis://127.0.0.1', { form: 'single', tls: false, address: { host: '127.0.0.1', port: 6379 }, db: 0 }],
    [
      'rediss://me:p%40ss%2C@cache.example:6380/3',
      {
        form: 'single',
        tls: true,
        username: 'me',
        password: 'p@ss,',
        address: { host: 'cache.example', port: 6380 },
        db: 3,
      },
    ],
    ['redis://:a@b@[::1]:1', { form: 'single', tls: false, password: 'a@b', address: { host: '::1', port: 1 }, db: 0 }],
    [
      'redis-sentinel://:secret@s1,s2:26380/mymaster/2?sentinelUsername=watch&sentinelPassword=w%2Fw',
      {
        form: 'sentinel',
        tls: false,
        password: 'secret',
        sentinels: [
          { host: 's1', port: 26379 },
          { host: 's2', port: 26380 },
        ],
        primary: 'mymaster',
        db: 2,
        sentinelLogin: { username: 'watch', password: 'w/w' },
      },
    ],
    [
      'rediss-cluster://n1:7000,n2',
      {
        form: 'cluster',
        tls: true,
        nodes: [
          { host: 'n1', port: 7000 },
          { host: 'n2', port: 6379 },
        ],
      },
    ],
  ])('%s', (url, target) => {
    expect(parseRedisUrl(url)).toEqual(target);
  });

  test.each([
    ['http://host', 'must begin redis://'],
    ['redis+sentinel://host/m', 'must begin redis://'],
    ['redis://me:hush/hush@host', '%2F'],
    ['redis://hush@host', 'without a password'],
    ['redis://:hush%zz@host', '%25'],
    ['redis://host:99999', 'host:port'],
    ['redis://:hush@', 'host:port'],
    ['redis://a,b', 'only redis-sentinel:// and redis-cluster://'],
    ['redis://host/x', 'database number'],
    ['redis://host/0?hush=1', 'no options'],
    ['redis-sentinel://:hush@a,b', 'must name the primary'],
    ['redis-sentinel://a/m/0/1', 'must name the primary'],
    ['redis-sentinel://a/m?password=hush', 'sentinelPassword'],
    ['redis-cluster://a,b/1', 'no database numbers'],
    ['redis-cluster://a,,b', 'host:port'],
  ])('of %s it says what is wrong, and quotes no password', (url, fault) => {
    const parsing = () => parseRedisUrl(url);
    expect(parsing).toThrow(fault);
    expect(parsing).not.toThrow('hush');
  });
});
