import { runService } from '@penstock/platform';
import { createPipelineService } from './create-pipeline-service';
import { PIPELINE_SERVICE_VARIABLES, pipelineServiceSettings } from './pipeline-service-variables';

/** Runs the pipeline service in a process of its own. */
export const runPipelineService = (): Promise<void> =>
  runService('pipeline-service', PIPELINE_SERVICE_VARIABLES, async (platform, settings) => {
    const service = await createPipelineService({
      ...platform,
      ...pipelineServiceSettings(settings),
      bootstrapKey: platform.config.PENSTOCK_BOOTSTRAP_KEY,
    });
    if (service.newKey !== undefined)
      process.stdout.write(`API key, shown this once: ${service.newKey}\n`);
    return service;
  });
