export * as variable from './config/kinds';
export {
  type Config,
  type ConfigRule,
  ConfigurationError,
  readConfig,
  type ReadOptions,
  type Source,
  type Variables,
} from './config/read-config';
export {
  PENSTOCK_RULES,
  PENSTOCK_VARIABLES,
  type PenstockConfig,
} from './config/penstock-variables';
export { readPenstockConfig, type ReadPenstockOptions } from './config/read-penstock-config';
export { SERVICE_VARIABLE_NAMES } from './config/service-variable-names';
export { Variable } from './config/variable';
export { createLogger, type Logger, type LoggerSettings } from './logging/create-logger';
export { NestLogger } from './logging/nest-logger';
export { type Fault, Outages } from './logging/outages';
export { currentRequestId, withoutRequestId, withRequestId } from './logging/request-id';
export { currentTrace, withTrace } from './logging/trace-context';
export { openTelemetry } from './open-telemetry';
export type { Telemetry } from './telemetry/telemetry';
export type { Attributes, Span, SpanEnd, SpanStart, Tracing } from './telemetry/tracing';
export { type Answer, healthzAnswer, metricsAnswer, readyzAnswer } from './health/answer';
export { Health, type ReadinessCheck } from './health/health';
export { type OpsServer, type OpsServerOptions, startOpsServer } from './health/ops-server';
export { Connections } from './http/connections';
export { inTurn } from './http/in-turn';
export { ServerDrain } from './http/server-drain';
export { CannotStart } from './start/cannot-start';
export { type ConfiguredPort, holdPort, listenOn } from './start/hold-port';
export { type StandardStreams, watchOutput } from './start/watch-output';
export { Shutdown, type ShutdownOptions } from './shutdown';
export { SealBroken } from './cipher';
export { KeyErased, newDataKey, Seals } from './seals';
export {
  openMessage,
  openOutcome,
  sealMessage,
  sealOutcome,
  type MessagePlace,
  type SealedMessage,
} from './sealed-message';
export { constantTimeEqual, SecretBox } from './secret-box';
export { isApiKeyForm, isBootstrapKeyForm, newApiKey, newWriteKey } from './keys/api-key';
export { newId } from './keys/new-id';
