import { runService } from '@penstock/platform';
import { createPipelineService } from './create-pipeline-service';
import { PIPELINE_SERVICE_VARIABLES, pipelineServiceSettings } from './pipeline-service-variables';
import { showKey } from './show-key';

/** Runs the pipeline service in a process of its own. */
export const runPipelineService = (): Promise<void> =>
  runService('pipeline-service', PIPELINE_SERVICE_VARIABLES, async (platform, settings) => {
    const service = await createPipelineService({
      ...platform,
      ...pipelineServiceSettings(settings),
      spoolFolder: platform.config.PENSTOCK_FILES_SPOOL,
      bootstrapKey: platform.config.PENSTOCK_BOOTSTRAP_KEY,
      onUnshownKey: showKey,
    });
    if (service.newKey !== undefined) showKey(service.newKey);
    return service;
  });
