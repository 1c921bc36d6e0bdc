import { onSupportedNode } from '@penstock/runtime';

onSupportedNode(async () => (await import('./run-event-router')).runEventRouter());
