import type { z } from 'zod';
import { knownSecretFault } from './known-secrets.ts';
import { switchSetting } from './settings.ts';

/** The environment does not make a usable configuration; the message names every fault and no secret. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Parses the environment with a flat schema of variable names. A variable set to nothing counts as unset, as compose
 * files leave them, but for those in `mayBeEmpty`. Throws SettingsError with all faults at once, secrets that everybody
 * knows among them.
 */
export function readSettings<S extends z.ZodObject>(
  schema: S,
  env: Record<string, string | undefined> = process.env,
  mayBeEmpty: readonly (keyof S['shape'])[] = [],
): z.output<S> {
  const present = Object.keys(schema.shape).flatMap((name) => {
    const value = env[name]?.trim();
    return value || (value === '' && mayBeEmpty.includes(name)) ? [[name, value] as const] : [];
  });
  const result = schema.safeParse(Object.fromEntries(present));
  const known = knownSecrets(present, env);
  if (result.success && known.length === 0) return result.data;
  const issues = result.error?.issues ?? [];
  const faults = issues.map(({ path, message }) => `  ${path.join('.') || 'settings'}: ${message}`);
  throw new SettingsError(`These settings are missing or wrong:\n${[...faults, ...known].join('\n')}`);
}

/** Also for schemas without ALLOW_SANDBOX_SECRETS: the sandbox runs more than api and worker. */
function knownSecrets(present: (readonly [string, string])[], env: Record<string, string | undefined>): string[] {
  const sandbox = switchSetting(false).safeParse(env.ALLOW_SANDBOX_SECRETS || undefined).data === true;
  return present.flatMap(([name, value]) => {
    const fault = knownSecretFault(name, value, sandbox);
    return fault === null ? [] : [`  ${name}: ${fault}`];
  });
}

/** The environment handed on to child processes; settings themselves are read with readSettings. */
export function inheritedEnv(): Record<string, string | undefined> {
  return { ...process.env };
}
