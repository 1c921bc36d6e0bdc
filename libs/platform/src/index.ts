export { canonical, type Difference } from './audit/difference';
export { Differences } from './audit/differences';
export { PositionSet } from './audit/position-set';
export { readTopic } from './audit/read-topic';
export {
  runVerification,
  type VerifiedInstallation,
  type Verified,
} from './audit/run-verification';
export { Closing } from './closing';
export { ConfigurationReader } from './configuration-reader';
export { readHistory } from './read-history';
export { deliverySettings, type DeliverySettings } from './delivery-settings';
export { refuseOtherLog, WrongLog } from './installation/claim-log';
export { readSecret, secretFileIn } from './installation/read-secret';
export { OldPostgres } from './installation/postgres-version';
export { openMessageLog } from './open-message-log';
export { type Connections, explainFailedStart } from './explain-failed-start';
export { runCommand } from './run-command';
export { runProcess, type StartingProcess } from './run-process';
export { runService } from './run-service';
export {
  PipelineServiceClient,
  type PipelineServiceClientOptions,
} from './pipeline-service-client';
export { openPlatform, type Platform, type PlatformSettings } from './platform';
export { isDatabaseAway } from './requests/is-database-away';
export { type FollowedKeys, followedSeals, SealedRecords } from './requests/sealed-records';
export { SlowRequests, type SlowRequestLimits } from './requests/slow-requests';
export { unavailable } from './requests/unavailable';
export { TracedRequests } from './requests/traced-requests';
export { withContextOf } from './requests/with-context-of';
export { Handles, type RequestFor } from './requests/handles';
export { excerptOf } from './refused-events/excerpt';
export {
  RefusedEventsLog,
  type NewRefusedEvent,
  type RefusedDetails,
  type RefusedEventsLogContext,
} from './refused-events/refused-events-log';
