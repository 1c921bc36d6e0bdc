import { onSupportedNode } from '@penstock/runtime';

onSupportedNode(async () => (await import('./run-pipeline-service')).runPipelineService());
