export { type LogSlice } from './log-slice';
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
export { type PartitionReader, type ReadPartitions } from './partition-reader';
export { TopicMoved, type UnlessMoved } from './topic-moved';
export { ForeignTopics, type TopicOwner, UnclaimedTopics } from './topic-owner';
export { type Unsuitable, UnsuitableTopic } from './unsuitable-topic';
export { PrefixedLog } from './prefixed-log';
export { partitionOf } from './partition-of';
export { KafkaMessageLog, type KafkaMessageLogOptions } from './kafka/kafka-message-log';
export {
  PostgresMessageLog,
  type PostgresMessageLogOptions,
} from './postgres/postgres-message-log';
export { limitQueries } from './postgres/limit-queries';
export { openPool, type PoolLimits } from './postgres/open-pool';
export { type ErrorReply } from './transport/error-reply';
export { LogClient, type LogClientOptions } from './transport/log-client';
export { LogRequest, type LogRequestOptions } from './transport/log-request';
export { LogRequestContext } from './transport/log-request-context';
export { LogServer, type LogServerOptions } from './transport/log-server';
export { PassErrorsOn } from './transport/pass-errors-on';
export { RequestFailed, RequestTimeout } from './transport/request-errors';
