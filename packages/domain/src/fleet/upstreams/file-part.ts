/** The part that a Range header asks for; null for the whole file: other forms are ignored, as HTTP allows. */
export function partOf(range: string | undefined, size: number): { from: number; to: number } | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return null;
  if (first === '') {
    if (Number(last) === 0 || size === 0) return 'unsatisfiable';
    return { from: Math.max(0, size - Number(last)), to: size - 1 };
  }
  if (Number(first) >= size) return 'unsatisfiable';
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return to < Number(first) ? null : { from: Number(first), to };
}
