export type {
  Connector,
  EventSource,
  RoleDescription,
  Settings,
  Target,
  WebhookRequest,
} from './connector';
export type { CallContext } from './call-context';
export {
  EventRefused,
  type EventDestination,
  type EventType,
  type Outcome,
  type OutgoingEvent,
  type SendContext,
  type SendLimits,
} from './event-destination';
export type {
  Answer,
  ApplicationUser,
  UserDestination,
  UserPage,
  UserQuery,
  UserSource,
} from './users/user-source';
export {
  GuardedHttp,
  NoAnswer,
  NotWritten,
  type IncomingResponse,
  type OutgoingRequest,
} from './guarded-http';
export { createGuardedHttp, type GuardedHttpOptions } from './egress/undici-guarded-http';
export { createConnectors, type Connectors, type ConnectorsOptions } from './connectors';
export { describeConnector } from './describe-connector';
export { givenSettings } from './given-settings';
export { maskSettings } from './mask-settings';
export { DummyStore, type KeptEvent } from './dummy/dummy-store';
