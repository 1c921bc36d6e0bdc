import { onSupportedNode } from '@penstock/runtime';

onSupportedNode(async () => (await import('./run-api-gateway')).runApiGateway());
