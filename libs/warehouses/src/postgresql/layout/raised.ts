import type { WarehouseFaultKind } from '../../platform/warehouse';

/** SQLSTATE of what the service's own statements raise, with the kind that it stands for. */
export const RAISED = {
  PS001: 'foreign',
  PS002: 'newer',
  PS003: 'outdated',
  PS004: 'fenced',
  PS005: 'busy',
} as const satisfies Readonly<Record<string, WarehouseFaultKind>>;
