import { spawn } from 'node:child_process';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '@flotilla/embedded/find-program.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

const RULES = join(import.meta.dirname, '../../../../infra/prometheus/alerts');
const PROMETHEUS = {
  names: ['prometheus'],
  aptPackage: 'prometheus',
  missing: 'There is no prometheus on the PATH: install it (Debian, Ubuntu: apt-get install prometheus).',
};
/** A process whose queries wait answers after two seconds. */
const EVERY = '3s';
/**
 * A fault must last for a sixtieth of what the rule says, rules look back for a quarter of it, what waits is old after half a minute
 * in place of five, and of calls that wait a thousandth are many.
 */
const SHORTER = { lasts: 60, looksBack: 4, oldAfterS: 30, callsWaiting: 25 };
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A process, by the name under which it is scraped. */
export type Target = { job: string; name: string; port: number; labels?: Record<string, string> };

export type Prometheus = {
  /** From now on these are scraped. A process that takes another one's place has its name, as with compose. */
  scrape(targets: Target[]): Promise<void>;
  /** The names of alerts that fired within these seconds. */
  fired(withinS: number): Promise<string[]>;
  /** True if an expression has a result. */
  holds(expression: string): Promise<boolean>;
  stop(): Promise<void>;
};

/** A real Prometheus with the rules of this repository, which take less time than in production. */
export async function startPrometheus(): Promise<Prometheus> {
  const program = await findProgram(PROMETHEUS, (line) => process.stderr.write(`${line}\n`));
  const [folder, port] = [await throwAwayDir(), await freePort()];
  for (const name of await readdir(RULES)) {
    await writeFile(join(folder, `rules-${name}`), shortened(await readFile(join(RULES, name), 'utf8')));
  }
  const scrape = async (targets: Target[]) => {
    // Prometheus must never read half of a file.
    await writeFile(join(folder, 'targets.tmp'), JSON.stringify(targets.map(groupOf)));
    await rename(join(folder, 'targets.tmp'), join(folder, 'targets.json'));
  };
  await scrape([]);
  await writeFile(join(folder, 'prometheus.yml'), configuration(folder));
  const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
  const child = spawn(program, [...flags, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(`${url}/-/ready`)).ok, { timeoutMs: 30_000, message: 'Prometheus' });
  const ask = async (query: string) => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
    return ((await answer.json()) as { data: { result: { metric: Record<string, string> }[] } }).data.result;
  };
  return {
    scrape,
    fired: async (withinS) => {
      const found = await ask(`group by (alertname) (max_over_time(ALERTS{alertstate="firing"}[${withinS}s]))`);
      return found.map(({ metric }) => metric.alertname ?? '');
    },
    holds: async (expression) => (await ask(expression)).length > 0,
    stop: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

function groupOf({ job, name, port, labels }: Target) {
  return { targets: [`127.0.0.1:${port}`], labels: { job, instance: name, installation: 'test', ...labels } };
}

function configuration(folder: string): string {
  return `
global: { scrape_interval: ${EVERY}, evaluation_interval: ${EVERY}, scrape_timeout: ${EVERY} }
rule_files: ["${folder}/rules-*.yml"]
scrape_configs:
  - job_name: flotilla
    file_sd_configs: [{ files: ["${folder}/targets.json"], refresh_interval: 1s }]
`;
}

function shortened(rules: string): string {
  const seconds = (amount: string, unit: string, by: number) => Math.ceil((Number(amount) * SECONDS[unit]!) / by);
  return rules
    .replaceAll(/\b(for|keep_firing_for): (\d+)([smhd])/g, (_, name, amount, unit) => {
      return `${name}: ${seconds(amount, unit, SHORTER.lasts)}s`;
    })
    .replaceAll(/(\[|offset )(\d+)([smhd])\b/g, (_, before, amount, unit) => {
      return `${before}${seconds(amount, unit, SHORTER.looksBack)}s`;
    })
    .replaceAll(/(oldest\w*_seconds\)) > 300/g, `$1 > ${SHORTER.oldAfterS}`)
    .replaceAll(/(captured_calls_waiting\)) > 25000/g, `$1 > ${SHORTER.callsWaiting}`);
}
