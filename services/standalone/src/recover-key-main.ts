import { onSupportedNode } from '@penstock/runtime';

onSupportedNode(async () => (await import('./run-recover-key')).runRecoverKey());
