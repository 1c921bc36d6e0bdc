export {
  type AppendOptions,
  type BatchHandler,
  type Follow,
  LogOverloaded,
  type LogRecord,
  LogUnavailable,
  MAX_KEY_BYTES,
  MAX_VALUE_BYTES,
  MessageLog,
  type NewMessage,
  type Position,
  type Reader,
  type Subscribe,
  type Subscription,
  type TopicSpec,
} from './message-log';
export { partitionOf } from './partition-of';
export {
  PostgresMessageLog,
  type PostgresMessageLogOptions,
} from './postgres/postgres-message-log';
