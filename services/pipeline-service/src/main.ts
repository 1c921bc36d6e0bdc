import { runService } from '@penstock/platform';
import { createPipelineService } from './create-pipeline-service';

runService('pipeline-service', async (platform) => {
  const service = await createPipelineService({
    ...platform,
    bootstrapKey: platform.config.PENSTOCK_BOOTSTRAP_KEY,
  });
  if (service.newKey !== undefined)
    process.stdout.write(`API key, shown this once: ${service.newKey}\n`);
  return service;
});
