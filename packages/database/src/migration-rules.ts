import { PARTITIONED_TABLES } from './month-partitions.ts';

type Rule = { found: RegExp; fault: string };

const CONTRACT = /^\/\/ contract: \S/m;

const RULES: Rule[] = [
  {
    found:
      /^drop (?!index concurrently)|^alter table .*\bdrop\b(?! (?:not null|default|expression|constraint (\w+), add constraint \1 check)\b)|^truncate\b|^delete from\b/,
    fault: 'takes something away that the previous release may need',
  },
  { found: /\brename (to|column|constraint|\w+ to)\b/, fault: 'renames what the previous release knows by its name' },
  {
    found:
      /\balter( column)? \w+ (set data )?type\b|\badd( column)? \w+ [^,]*default (now|random|gen_random_uuid|nextval|clock_timestamp)\b/,
    fault: 'rewrites the table while nobody can read it',
  },
  {
    found:
      /\bset not null\b|^alter table .*\badd( column)? (?!constraint\b|primary\b|foreign\b|unique\b|check\b)\w+ (?![^,]*\bdefault\b)[^,]*\bnot null\b/,
    fault: 'makes not null what the previous release leaves out: give it a default',
  },
  {
    found: /^alter table .*\badd (constraint \w+ )?(check|foreign key|primary key|unique|exclude)\b(?!.*\bnot valid$)/,
    fault: 'checks a constraint on every row under a lock: add it as not valid, validate it in a later migration',
  },
  { found: /^lock table\b/, fault: 'locks a table' },
];

/** The reasons why a migration (its source text) must not run beside the previous release; empty when it may. */
export function faultsOfMigration(source: string): string[] {
  // The comment says that no release needs the removed thing any more. A reviewer decides whether that is true.
  if (CONTRACT.test(source)) return [];
  const statements = statementsOf(source);
  const faults = RULES.filter(({ found }) => statements.some((text) => found.test(text))).map(({ fault }) => fault);
  return [...faults, ...indexFaults(statements, source)];
}

function statementsOf(source: string): string[] {
  const up = source.split(/^export (?:async function|const) down\b/m)[0]!;
  const texts = [...up.matchAll(/sql(?:<[^>]*>)?`([^`]*)`/g)].flatMap(([, text = '']) => text.split(';'));
  return texts.map((text) => text.toLowerCase().replace(/\s+/g, ' ').trim()).filter((text) => text !== '');
}

function indexFaults(statements: string[], source: string): string[] {
  const made = statements.flatMap((text) => /^create table (?:if not exists )?(\w+)/.exec(text)?.[1] ?? []);
  return statements.flatMap((text) => {
    const [, concurrently, name, only, table = ''] =
      /^create (?:unique )?index (concurrently )?(?:if not exists )?(\w+) on (only )?(\w+)/.exec(text) ?? [];
    if (name === undefined || made.includes(table)) return [];
    if (PARTITIONED_TABLES.some((one) => one === table)) {
      if (only !== undefined) return [];
      return [`builds the index ${name} of a partitioned table: on only ${table}, then concurrently on each partition`];
    }
    if (!concurrently) return [`builds the index ${name} while nobody can write: build it concurrently`];
    if (!/export const outsideTransaction = true/.test(source)) return ['needs outsideTransaction, to build its index'];
    if (statements.includes(`drop index concurrently if exists ${name}`)) return [];
    return [`cannot be repeated after an interruption: drop index concurrently if exists ${name} first`];
  });
}
