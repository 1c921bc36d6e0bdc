export { createPipelineService, type RunningPipelineService } from './create-pipeline-service';
export type { PipelineServiceDependencies } from './pipeline-service.module';
export { PIPELINE_SERVICE_VARIABLES, pipelineServiceSettings } from './pipeline-service-variables';
export { recoverKey, type RecoveredKey } from './organizations/recover-key';
export { runKeyRecovery } from './run-key-recovery';
export { showKey } from './show-key';
