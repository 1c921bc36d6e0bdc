import { runService } from '@penstock/platform';
import { createApiGateway } from './create-api-gateway';

runService('api-gateway', (platform) => createApiGateway(platform));
