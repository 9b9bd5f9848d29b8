import type { z } from 'zod';

/** The environment does not make a usable configuration; the message names every fault and no secret. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Parses the environment with a flat schema of variable names. A variable set to nothing counts as unset,
 * as compose files leave them. Throws SettingsError with all faults at once.
 */
export function readSettings<S extends z.ZodObject>(
  schema: S,
  env: Record<string, string | undefined> = process.env,
): z.output<S> {
  const present = Object.keys(schema.shape).flatMap((name) => {
    const value = env[name]?.trim();
    return value ? [[name, value] as const] : [];
  });
  const result = schema.safeParse(Object.fromEntries(present));
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `  ${path.join('.') || 'settings'}: ${message}`);
  throw new SettingsError(`These settings are missing or wrong:\n${faults.join('\n')}`);
}

/** The environment handed on to child processes; settings themselves are read with readSettings. */
export function inheritedEnv(): Record<string, string | undefined> {
  return { ...process.env };
}
