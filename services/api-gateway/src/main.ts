import { runService } from '@penstock/platform';
import { createApiGateway } from './create-api-gateway';
import { GATEWAY_VARIABLES, gatewaySettings } from './gateway-variables';

runService('api-gateway', GATEWAY_VARIABLES, (platform, settings) =>
  createApiGateway({ ...platform, ...gatewaySettings(settings) }),
);
