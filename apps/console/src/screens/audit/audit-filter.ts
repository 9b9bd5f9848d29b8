import { given, readId, readMoment, readText } from '../../parts/filters.tsx';

export type AuditFilter = {
  action?: string;
  actor?: string;
  bot?: string;
  from?: string;
  to?: string;
  open?: string;
};

export function readAuditFilter(search: Record<string, unknown>): AuditFilter {
  return given({
    action: readText(search.action),
    actor: readText(search.actor),
    bot: readId(search.bot),
    from: readMoment(search.from),
    to: readMoment(search.to),
    open: readId(search.open),
  });
}
