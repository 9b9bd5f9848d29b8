export function beginProgram(program: string, compiled?: string): void;
