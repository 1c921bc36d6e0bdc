import { runService } from '@penstock/platform';
import { readConfig } from '@penstock/runtime';
import { createApiGateway } from './create-api-gateway';
import { GATEWAY_VARIABLES, gatewaySettings } from './gateway-variables';

runService('api-gateway', (platform) =>
  createApiGateway({
    ...platform,
    ...gatewaySettings(readConfig(process.env, GATEWAY_VARIABLES)),
  }),
);
