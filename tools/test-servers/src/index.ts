export { borrowServer } from './borrow-server';
export { fastFolder } from './fast-folder';
export { type Beginning, type FreshDatabase, freshDatabase, testBrokers } from './fresh-database';
export { type OldPostgres, sharedOldPostgres, startOldPostgres } from './old-postgres';
export { installPythonPackages } from './python-packages';
export { watchOver } from './watchdog';
export { openPage, type OpenPage } from './open-page';
export {
  OtlpReceiver,
  type ReceivedLog,
  type ReceivedMetric,
  type ReceivedSpan,
} from './otlp-receiver';
export { EventStream, type StreamedEvent } from './event-stream';
export { SELF_SIGNED } from './self-signed';
export { addWitness, until } from './until';
