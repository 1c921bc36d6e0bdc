import { startProgram } from '@penstock/runtime/program';

startProgram(__dirname, async () => (await import('./run-pipeline-service')).runPipelineService());
