import { onSupportedNode } from '@penstock/runtime';

onSupportedNode(async () => (await import('./run-key-recovery')).runRecoverKey());
