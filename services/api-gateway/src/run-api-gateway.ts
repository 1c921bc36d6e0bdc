import { runService } from '@penstock/platform';
import { createApiGateway } from './create-api-gateway';
import { GATEWAY_VARIABLES, gatewaySettings } from './gateway-variables';

/** Runs the gateway in a process of its own. */
export const runApiGateway = (): Promise<void> =>
  runService(
    'api-gateway',
    GATEWAY_VARIABLES,
    (platform, settings) => createApiGateway({ ...platform, ...gatewaySettings(settings) }),
    ({ PENSTOCK_PORT: port, PENSTOCK_HOST: host }) => ({ port, host, variable: 'PENSTOCK_PORT' }),
  );
