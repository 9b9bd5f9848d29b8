/** A file from a multipart part. */
export type UploadedFile = { field: string; name: string; mime: string; bytes: Buffer };

/** All parameters of a call, merged. The first value of a name wins, and the query is stored first. */
export type Params = { values: Map<string, string>; files: Map<string, UploadedFile> };

export function newParams(): Params {
  return { values: new Map(), files: new Map() };
}

export function addValue(params: Params, name: string, value: string): void {
  if (!params.values.has(name)) params.values.set(name, value);
}

/** The value as sent; '' when absent, because the platform treats both alike. */
export function text(params: Params, name: string): string {
  return params.values.get(name) ?? '';
}

/** Parses as td:tdutils/td/utils/misc.h:157 does: optional minus, leading digits, anything else is 0. Then clamps. */
export function integer(
  params: Params,
  name: string,
  otherwise: number,
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const value = text(params, name);
  if (value === '') return otherwise;
  const wrapped = BigInt.asIntN(32, BigInt(/^-?\d+/.exec(value)?.[0] ?? 0));
  return Math.min(max, Math.max(min, Number(wrapped)));
}

/** An id of a user or a chat, which has 64 bits; 0 when absent. */
export function platformId(params: Params, name: string): number {
  return Number(BigInt.asIntN(64, BigInt(/^-?\d+/.exec(text(params, name))?.[0] ?? 0)));
}

export function boolean(params: Params, name: string): boolean {
  return ['true', 'yes', '1'].includes(text(params, name).trim().toLowerCase());
}

/** A parameter that carries JSON; undefined when absent or not JSON. */
export function json(params: Params, name: string): unknown {
  const value = text(params, name);
  if (value === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Like `json`, for members that must be an object. */
export function jsonObject(params: Params, name: string): Record<string, unknown> | undefined {
  const value = json(params, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
