import type { ReactNode } from 'react';
import type { Words } from '../words/en.ts';

export type Target = { key: string; face: ReactNode; go: () => void };
export type TargetGroup = { name: keyof Words['palette']['groups']; targets: Target[] };
