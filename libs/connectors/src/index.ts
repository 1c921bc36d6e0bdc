export type {
  Connector,
  EventSource,
  RoleDescription,
  Settings,
  Target,
  WebhookRequest,
} from './connector';
export type {
  EventDestination,
  EventType,
  Outcome,
  OutgoingEvent,
  SendContext,
  SendLimits,
} from './event-destination';
export { GuardedHttp, NoAnswer, type IncomingResponse, type OutgoingRequest } from './guarded-http';
export { createGuardedHttp, type GuardedHttpOptions } from './egress/undici-guarded-http';
export { createConnectors, type Connectors, type ConnectorsOptions } from './connectors';
export { describeConnector } from './describe-connector';
export { maskSettings } from './mask-settings';
export { DummyStore, type KeptEvent } from './dummy/dummy-store';
