import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { faultsOfMigration } from './migration-rules.ts';
import { migrations } from './migrations.ts';

const FOLDER = join(import.meta.dirname, 'migrations');
/** Nothing runs beside the migration of the first release. */
const FIRST_RELEASE = '20261127T000000-tables';

const files = readdirSync(FOLDER).map((file) => file.replace(/\.ts$/, ''));
const up = (statement: string) =>
  `export async function up(db: Kysely<unknown>) { await sql\`${statement}\`.execute(db); }`;

test('every migration file is listed, and no other', () => {
  expect(files.sort()).toEqual(Object.keys(migrations));
});

test('every migration since the first release may run while the previous release does', () => {
  for (const file of files.filter((name) => name !== FIRST_RELEASE)) {
    expect([file, faultsOfMigration(readFileSync(join(FOLDER, `${file}.ts`), 'utf8'))]).toEqual([file, []]);
  }
});

describe('the rules of migrations', () => {
  test.each([
    ['alter table bots drop column name', 'takes something away'],
    ['alter table bots drop constraint one, add constraint other check (a) not valid', 'takes something away'],
    ['drop table tags', 'takes something away'],
    ['alter table bots rename column name to title', 'renames'],
    ['alter table bots alter column name type varchar(10)', 'rewrites'],
    ['alter table bots alter name set not null', 'not null'],
    ['alter table bots add later text not null', 'not null'],
    ['alter table bots add column later uuid default gen_random_uuid()', 'rewrites'],
    ['create index later on tags (user_id)', 'index'],
    ['create index later on messages (user_id)', 'on only messages'],
    ['create unique index later on chats (title)', 'index'],
    ['create index concurrently later on messages (user_id)', 'on only messages'],
    ['alter table messages add constraint later check (id > 0)', 'constraint'],
    ['alter table tags add foreign key (bot_id) references bots', 'constraint'],
    ['lock table bots', 'locks'],
    ['truncate tags', 'takes something away'],
  ])('refuse: %s', (statement, why) => {
    expect(faultsOfMigration(up(statement))).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    'alter table bots add later text',
    "alter table bots add later text not null default ''",
    'alter table bots add column later boolean not null default false, add other bigint',
    'create table later (id bigint primary key, name text not null unique, bot_id bigint references bots)',
    'create table later (id bigint); create index later_id on later (id)',
    'alter table messages add constraint later check (id > 0) not valid',
    'create index later on only audit_log (address)',
    'insert into chats select 1',
  ])('allow: %s', (statement) => {
    expect(faultsOfMigration(up(statement))).toEqual([]);
  });

  test('allow an index that is built concurrently, outside a transaction, over what an interrupted try has left', () => {
    const built = up(
      'drop index concurrently if exists later`.execute(db); await sql`create index concurrently later on tags (tag)',
    );
    expect(faultsOfMigration(built)).toEqual([expect.stringContaining('outsideTransaction')]);
    expect(faultsOfMigration(`${built}\nexport const outsideTransaction = true;`)).toEqual([]);
    const unrepeatable = `${up('create index concurrently later on tags (tag)')}\nexport const outsideTransaction = true;`;
    expect(faultsOfMigration(unrepeatable)).toEqual([
      expect.stringContaining('drop index concurrently if exists later'),
    ]);
  });

  test('allow what says since when nobody needs what it takes away', () => {
    expect(
      faultsOfMigration(`// contract: 1.4.0 is the last that reads it\n${up('alter table bots drop name')}`),
    ).toEqual([]);
  });

  test('look at what goes up and not at what goes down', () => {
    const down = 'export async function down(db) { await sql`drop table later`.execute(db); }';
    expect(faultsOfMigration(`${up('create table later (id bigint)')}\n${down}`)).toEqual([]);
  });
});
