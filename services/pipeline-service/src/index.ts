export { createPipelineService, type RunningPipelineService } from './create-pipeline-service';
export type { PipelineServiceDependencies } from './pipeline-service.module';
