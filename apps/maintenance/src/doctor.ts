import { botStore } from '@flotilla/domain/fleet/bots/bot-store.ts';
import { openProcess } from '@flotilla/domain/startup/open-process.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { checkDrift } from './checks/check-drift.ts';
import { checkInstallation } from './checks/check-installation.ts';
import { checkPostgres } from './checks/check-postgres.ts';
import { checkProcesses } from './checks/check-processes.ts';
import { checkRedis } from './checks/check-redis.ts';
import { checkPartitions, checkSizes } from './checks/check-sizes.ts';
import { checkTurns } from './checks/check-turns.ts';
import { checkWebhooks } from './checks/check-webhooks.ts';
import type { DiagnosisDeps } from './checks/diagnosis-deps.ts';
import { type Finding, fail, reasonOf } from './checks/finding.ts';
import { report } from './checks/report.ts';
import { type DiagnosisConfig, readDiagnosisConfig } from './maintenance-settings.ts';

/** Looks at a running installation. Returns 1 when something must be mended. */
export async function doctor({ json = false }: { json?: boolean }): Promise<number> {
  return report(await withInstallation(readDiagnosisConfig(), examine), json);
}

/** Opens the stores for `use`; when one cannot be opened, its findings are all there is. */
export async function withInstallation(
  config: DiagnosisConfig,
  use: (deps: DiagnosisDeps) => Promise<Finding[]>,
): Promise<Finding[]> {
  const [postgres, redis] = await Promise.all([checkPostgres(config), checkRedis(config)]);
  const stores = [...postgres.findings, ...redis];
  if (stores.some(({ check, level }) => level === 'fail' && UNUSABLE.has(check))) return stores;
  const log = createLogger({ name: 'doctor', level: 'silent' });
  const opened = await openProcess('doctor', config, { log });
  try {
    const { backupMaxAgeHours } = config;
    const wrong = stores.filter(({ level, check }) => level !== 'ok' && !SAID_LATER.has(check));
    return [...wrong, ...(await use({ ...opened, config, backupMaxAgeHours }))];
  } finally {
    await opened.close();
  }
}

const UNUSABLE = new Set(['postgres', 'redis', 'redis rights', 'postgres schema']);
const SAID_LATER = new Set(['postgres connections', 'redis memory']);

/** Everything that is to say about a running installation. */
export async function examine(deps: DiagnosisDeps): Promise<Finding[]> {
  const bots = new Set((await botStore(deps.db).revisions()).keys());
  const parts = [
    () => checkInstallation(deps),
    () => checkProcesses(deps),
    () => checkTurns(deps, bots),
    () => checkDrift(deps),
    () => checkPartitions(deps),
    () => checkSizes(deps),
    () => checkWebhooks(deps),
  ];
  const findings: Finding[] = [];
  for (const part of parts) {
    // One part that fails must not hide what the others found.
    const found = await part().catch((error: unknown) => [
      fail('doctor', reasonOf(error), 'run it again; if it stays, tell us'),
    ]);
    findings.push(...found);
  }
  return findings;
}
