export {
  ALERT_WEBHOOK,
  type AlertNotification,
  sendAlertNotification,
} from './alerts/alert-webhook';
export type {
  CheckedSettings,
  Connector,
  EventSource,
  RoleDescription,
  Settings,
  Target,
  WebhookRequest,
} from './connector/connector';
export type { CallContext } from './connector/call-context';
export {
  EventRefused,
  type EventDestination,
  type EventType,
  type Outcome,
  type OutgoingEvent,
  type SendContext,
  type RequestLimits,
  type SendLimits,
} from './connector/event-destination';
export type { FileDestination, NewFile } from './connector/file-destination';
export type { FileStorage, StorageContext } from './connector/file-storage';
export type {
  Answer,
  ApplicationUser,
  UserPage,
  UserQuery,
  UserSource,
} from './connector/user-source';
export type {
  OutgoingUser,
  UpsertFailure,
  UpsertResult,
  UserDestination,
  UserOutcome,
} from './connector/user-destination';
export {
  GuardedHttp,
  NoAnswer,
  NotWritten,
  type Download,
  type DownloadRequest,
  type IncomingResponse,
  type OutgoingRequest,
  type UploadRequest,
} from './connector/guarded-http';
export { createGuardedHttp, type GuardedHttpOptions } from './egress/undici-guarded-http';
export { createConnectors, Connectors, type ConnectorsOptions } from './connectors';
export { describeConnector, describeFormat } from './connector/describe-connector';
export { givenSettings } from './connector/given-settings';
export { maskSettings } from './connector/mask-settings';
export { exportPath } from './storages/export-path';
export { DummyStore, type KeptEvent } from './dummy/dummy-store';
