import { onSupportedNode } from '@penstock/runtime';

onSupportedNode(async () => (await import('./run-audit-verify')).runAuditVerify());
