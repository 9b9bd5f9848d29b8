import type { z } from 'zod';
import { knownSecretFault } from './known-secrets.ts';
import { switchSetting } from './settings.ts';
import { unknownSettings } from './unknown-settings.ts';

/** The environment is no usable configuration. The message names every fault and no secret. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Parses the environment with a flat schema of variable names. An empty variable counts as unset, because compose files
 * leave them so; `mayBeEmpty` names the exceptions. Throws SettingsError with all faults at once, among them secrets
 * that everybody knows, and names that are nearly those of settings.
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
  const others = [...knownSecrets(present, env), ...unknownSettings(env)];
  if (result.success && others.length === 0) return result.data;
  const issues = result.error?.issues ?? [];
  const faults = issues.map(({ path, message }) => `  ${path.join('.') || 'settings'}: ${message}`);
  throw new SettingsError(`These settings are missing or wrong:\n${[...faults, ...others].join('\n')}`);
}

/** Applies to schemas without ALLOW_SANDBOX_SECRETS too, because the sandbox runs more than the api and the worker. */
function knownSecrets(present: (readonly [string, string])[], env: Record<string, string | undefined>): string[] {
  const sandbox = switchSetting(false).safeParse(env.ALLOW_SANDBOX_SECRETS || undefined).data === true;
  return present.flatMap(([name, value]) => {
    const fault = knownSecretFault(name, value, sandbox);
    return fault === null ? [] : [`  ${name}: ${fault}`];
  });
}

/** Gives this process settings that its environment does not have. */
export function useSettings(settings: Record<string, string>): void {
  for (const [name, value] of Object.entries(settings)) process.env[name] ||= value;
}

/** The environment for child processes. Settings are read with readSettings only. */
export function inheritedEnv(): Record<string, string | undefined> {
  return { ...process.env };
}

/** How many names Node looks up at once: in half of its threads, rounded up (libuv, threadpool.c). */
export function lookupsAtOnce(): number {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4;
  return Math.ceil(threads / 2);
}
