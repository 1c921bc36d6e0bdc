export { createApiGateway, type RunningGateway } from './create-api-gateway';
export type { ApiGatewayDependencies } from './gateway-dependencies';
export { GATEWAY_VARIABLES, gatewaySettings } from './gateway-variables';
export { INTAKE_LIMITS, type IntakeLimits } from './intake/intake-limits';
export type { PeerAddress } from './intake/peer-address';
export type { ApiRate } from './rates/api-rates';
export type { Rate } from './rates/token-buckets';
export { PipelineService, type RequestMetadata } from './pipeline-service/pipeline-service';
